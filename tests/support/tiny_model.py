"""A language model of some thousand random weights, as a file in the GGUF format of llama.cpp.

It has the architecture of Llama. Its tokens are all bytes, and the words that it is made with.
"""

import struct
from collections.abc import Iterable
from pathlib import Path

import numpy as np

_WIDTH = 32
_ALIGNMENT = 32
_SPECIAL = [
    *("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>"),
    "<|eot_id|>",
]
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_U32, _I32, _F32, _STRING, _ARRAY = 4, 5, 6, 8, 9
_Value = int | float | str | list[str] | list[int]


def write_model(path: Path, words: Iterable[str]) -> None:
    """Write a model that knows some words."""
    tokens = [*_letters(), *(f"Ġ{word}" for word in sorted({*words})), *_SPECIAL]
    shapes = _shapes(len(tokens))
    head, data = b"", b""
    for name, setting in _settings(tokens).items():
        head += _string(name) + _value(setting)
    weights = np.random.default_rng(1)
    for name, shape in shapes.items():
        # The innermost dimension comes first; type 0 is float32.
        head += _string(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}QIQ", *reversed(shape), 0, len(data))
        data += weights.normal(size=shape).astype("<f4").tobytes()
    count = struct.pack("<4sIQQ", b"GGUF", 3, len(shapes), len(_settings(tokens)))
    padding = b"\0" * (-len(count + head) % _ALIGNMENT)
    path.write_bytes(count + head + padding + data)


def _letters() -> list[str]:
    """Return the character that stands for each byte in GPT-2's tokens."""
    others = [byte for byte in range(256) if byte not in _PRINTABLE]
    return [*map(chr, _PRINTABLE), *(chr(256 + number) for number in range(len(others)))]


def _settings(tokens: list[str]) -> dict[str, _Value]:
    words = len(tokens) - len(_SPECIAL)
    return {
        "general.architecture": "llama",
        "general.name": "tiny",
        "llama.context_length": 2048,
        "llama.embedding_length": _WIDTH,
        "llama.block_count": 1,
        "llama.feed_forward_length": _WIDTH,
        "llama.attention.head_count": 2,
        "llama.attention.head_count_kv": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.freq_base": 10000.0,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "llama-bpe",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [1] * words + [3] * len(_SPECIAL),
        "tokenizer.ggml.bos_token_id": words,
        "tokenizer.ggml.eos_token_id": len(tokens) - 1,
    }


def _shapes(tokens: int) -> dict[str, tuple[int, ...]]:
    square = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
    return {
        "token_embd.weight": (tokens, _WIDTH),
        "output_norm.weight": (_WIDTH,),
        "output.weight": (tokens, _WIDTH),
        **{f"blk.0.{name}.weight": (_WIDTH, _WIDTH) for name in square},
        **{f"blk.0.{name}.weight": (_WIDTH,) for name in ("attn_norm", "ffn_norm")},
    }


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _value(value: _Value) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", _STRING) + _string(value)
    if isinstance(value, int):
        return struct.pack("<II", _U32, value)
    if isinstance(value, float):
        return struct.pack("<If", _F32, value)
    kind = _STRING if isinstance(value[0], str) else _I32
    items = [_string(one) if isinstance(one, str) else struct.pack("<i", one) for one in value]
    return struct.pack("<IIQ", _ARRAY, kind, len(items)) + b"".join(items)
