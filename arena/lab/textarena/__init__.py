"""TextArena's agents at our tables, and our bots in its LiarsDice. Needs the extra `textarena`.

policy(agent)                    a policy: a rival in training, or a bot by `arena.lab.env.bot`
with bot_agent("my-bot") as agent:
    agent(observation)           a bot as an agent of textarena.make("LiarsDice-v0")
"""

from arena.lab.textarena.agent_policy import policy
from arena.lab.textarena.bot_agent import BotAgent, bot_agent

__all__ = ["BotAgent", "bot_agent", "policy"]
