"""Spoiling bytes: the moves of the seeded parser fuzzer, from one ``random.Random`` alone."""

from __future__ import annotations

import json

# What parsers trip over: signs, exponents, words for numbers, foreign digits, line ends, quotes.
TOKENS = [
    *b"0 1 -1 -0 1e999 -1e-999 1e308 5e-324 nan NaN inf -inf null true false 1_000 0x10".split(),
    *b"9223372036854775807 9223372036854775808 -9223372036854775809 4294967296 1e400".split(),
    *(b'"', b'""', b"\\", b"\\u0000", b"\\ud800", b"'", b"\n", b"\r", b"\r\n", b"\n\n", b"\t"),
    *(b",", b";", b"|", b" ", b":", b"#", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"{", b"}"),
    *(b"[", b"]", b"[]", b"{}", b"\xc2\xa0", b"\xe2\x80\xa8", b"1" * 400, b"[" * 200, b"," * 50),
    *("\N{FULLWIDTH DIGIT ONE}", "\N{ARABIC-INDIC DIGIT TWO}", "\N{SNOWMAN}", "\x85", "\x1c"),
]
TOKENS = [token.encode() if isinstance(token, str) else token for token in TOKENS]

# JSON values no writer of ours would put there.
VALUES = [
    *("null", "true", "false", "0", "-1", "1.5", "1e308", "9007199254740993", "1" * 30, '""'),
    *('"x"', "[]", "[1]", "[[]]", "[-1]", "[0]", "[1000000000000]", "{}", '{"$":"x"}', '{"a":1}'),
    *('"nan"', '"-inf"', '{"$":"float","value":"nan"}', '{"$":"float","value":"x"}', '"float64"'),
    *('"object"', '"str"', '"bool"', '"int8"', '{"$":"not stored","text":"x"}', '"csc"', '"path"'),
    *('{"$":"dict","items":{}}', '{"$":"tuple","items":[]}', '{"$":"tuple","items":3}', "[null]"),
    '{"$":"array","dtype":"float64","shape":[2],"data":[1.0,"inf"]}',
    '{"$":"array","dtype":"object","shape":[1],"data":[{"$":"dict","items":{"a":null}}]}',
    '{"$":"penalty","name":"mcp","params":{"$":"dict","items":{"gamma":0}}}',
]


def spoil(rng, data, seeds, most=6):
    """Return data after one to ``most`` random moves; ``seeds`` lend it pieces."""
    for _ in range(rng.randint(1, most)):
        data = _MOVES[int(rng.random() * len(_MOVES))](rng, data, seeds)
    return data


def _place(rng, data):
    return int(rng.random() * (len(data) + 1))


def _piece(rng, data, longest=32):
    start = _place(rng, data)
    return start, min(len(data), start + 1 + int(rng.random() * longest))


def _flip(rng, data, seeds):
    if not data:
        return data
    at = int(rng.random() * len(data))
    return data[:at] + bytes([data[at] ^ (1 << int(rng.random() * 8))]) + data[at + 1 :]


def _byte(rng, data, seeds):
    at = _place(rng, data)
    return data[:at] + bytes([int(rng.random() * 256)]) + data[at + 1 :]


def _insert(rng, data, seeds):
    at = _place(rng, data)
    return data[:at] + TOKENS[int(rng.random() * len(TOKENS))] + data[at:]


def _replace(rng, data, seeds):
    start, stop = _piece(rng, data, 8)
    return data[:start] + TOKENS[int(rng.random() * len(TOKENS))] + data[stop:]


def _delete(rng, data, seeds):
    start, stop = _piece(rng, data)
    return data[:start] + data[stop:]


def _repeat(rng, data, seeds):
    start, stop = _piece(rng, data)
    return data[:stop] + data[start:stop] * rng.randint(1, 3) + data[stop:]


def _splice(rng, data, seeds):
    other = seeds[int(rng.random() * len(seeds))]
    start, stop = _piece(rng, other, 64)
    at = _place(rng, data)
    return data[:at] + other[start:stop] + data[at:]


def _cut(rng, data, seeds):
    return data[: _place(rng, data)]


_MOVES = [_flip, _byte, _insert, _replace, _delete, _repeat, _splice, _flip, _replace, _cut]


class JsonText:
    """A JSON text of which single values (and keys) can be exchanged without parsing it again."""

    def __init__(self, document):
        self.text = ""
        self.spans = []
        self._write(document)
        self.pieces = [self.text[a:b] for a, b in self.spans if b - a < 200] + VALUES

    def _write(self, value):
        start = len(self.text)
        if isinstance(value, dict):
            self._join("{", "}", [(key, entry) for key, entry in value.items()])
        elif isinstance(value, list):
            self._join("[", "]", [(None, entry) for entry in value])
        else:
            self.text += json.dumps(value)
        self.spans.append((start, len(self.text)))

    def _join(self, opening, closing, entries):
        self.text += opening
        for k, (key, entry) in enumerate(entries):
            self.text += "," if k else ""
            if key is not None:
                start = len(self.text)
                self.text += json.dumps(key)
                self.spans.append((start, len(self.text)))
                self.text += ":"
            self._write(entry)
        self.text += closing

    def spoil(self, rng):
        """Return the text with one to three values exchanged for others, from right to left."""
        text, end = self.text, len(self.text)
        chosen = sorted((rng.choice(self.spans) for _ in range(rng.randint(1, 3))), reverse=True)
        for start, stop in chosen:
            if stop <= end:
                text = text[:start] + rng.choice(self.pieces) + text[stop:]
                end = start
        return text
