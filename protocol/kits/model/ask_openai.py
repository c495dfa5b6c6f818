"""The same question by the package `openai`. In bot.py: `from ask_openai import ask`, and no `ask`.

It needs a line `openai` in requirements.txt, and a league that says `packages: true`.
"""

from os import environ

from openai import OpenAI, OpenAIError

try:
    import httpx2 as httpx  # openai 3
except ImportError:
    import httpx

MODEL = "small"  # one of `models` in bot.yaml
SOCKET = httpx.Client(transport=httpx.HTTPTransport(uds=environ.get("ARENA_MODELS", "")))
# The arena keeps the key, and tries again where that helps.
CLIENT = OpenAI(base_url="http://models/v1", api_key="none", http_client=SOCKET, max_retries=0)


def ask(messages):
    """Return what the model answers; raises OSError if it does not."""
    try:
        answer = CLIENT.chat.completions.create(model=MODEL, messages=messages)
    except OpenAIError as error:
        raise OSError(str(error)) from None
    return answer.choices[0].message.content or ""
