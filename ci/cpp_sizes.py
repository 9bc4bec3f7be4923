"""Sizes of the functions and classes of a C++ file, read without a compiler.

Lines of a function are those from its opening to its closing brace; those of a lambda count again
in the function that holds it. Static members of a class are not counted. Both branches of an #if
are read, so each must close the brackets it opens. What a #define stands for is not read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

COMMENT = r"//(?:\\\n|[^\n])*|/\*.*?\*/"
# One alternative for each kind of token. White space goes one by one, so that a line which begins
# with # is seen from its beginning.
TOKEN = re.compile(
    rf"""(?P<skip>{COMMENT}|^[ \t]*\#(?:\\\n|{COMMENT}|[^\n])*|\\?\s)
    |(?P<string>(?:u8|[uUL])?(?:R"(?P<end>[^()\\\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"))
    |(?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
    |\.?\d(?:[eEpP][+-]|'?[\w.])*                       # a number, 1'000 too
    |operator[ ]?(?:\(\)|\[\]|[^\s\w()\[\];"]+)         # operator(), operator==, as one name
    |\w+|<=>|<<=|<<|<=|>=|==|!=|->|::|&&|\.\.\.|.       # not >>, which may close two templates
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
SHORT = {"string": '""', "char": "''"}
CLOSING = {"(": ")", "[": "]", "{": "}"}
TYPES = ("class", "struct", "union", "enum")
# Parentheses after these words belong to no function.
NO_FUNCTION = {"decltype", "alignas", "noexcept", "explicit", "requires", "__attribute__"}
# A declaration with one of these words adds nothing to an object.
NO_DATA = {"using", "typedef", "friend", "static", "template"}
# Inside parentheses: a variable that points to a function, a member or an array.
POINTER = re.compile(r"(\w+ :: )*[*& ]+(const )?\w*( \[.*\])?$")
# Before the parameters of a function: its name.
NAME = re.compile(r"((?:\w+ (?:<> )?:: )*(?:~ |operator )?\S+?)(?: <>)?$")


class BracketError(ValueError):
    """A bracket that is not closed or was not opened, and its line."""


class Size(NamedTuple):
    """Something with a budget: what it is, where, how large, and the tokens of its braces."""

    kind: str
    name: str
    line: int
    amount: int
    first: int = 0
    last: int = 0


class Tokens:
    """The tokens of a file, their lines, and where each bracket is closed."""

    def __init__(self, code: str) -> None:
        self.texts: list[str] = []
        self.lines: list[int] = []
        self.close: dict[int, int] = {}
        line, waiting = 1, list[int]()
        for found in TOKEN.finditer(code):
            if found.lastgroup != "skip":
                self._add(SHORT.get(found.lastgroup or "") or found[0], line, waiting)
            line += found[0].count("\n")
        if waiting:
            raise BracketError(self.texts[waiting[-1]], self.lines[waiting[-1]])

    def _add(self, text: str, line: int, waiting: list[int]) -> None:
        if text in CLOSING:
            waiting.append(len(self.texts))
        elif text in CLOSING.values():
            if not waiting or CLOSING[self.texts[waiting[-1]]] != text:
                raise BracketError(text, line)
            self.close[waiting.pop()] = len(self.texts)
        self.texts.append(text)
        self.lines.append(line)

    def angle_close(self, start: int) -> int | None:
        """Return where the template arguments that begin here end; None for "less than"."""
        depth, i = 0, start
        while i < len(self.texts) and self.texts[i] not in (";", ")", "]", "}"):
            depth += (self.texts[i] == "<") - (self.texts[i] == ">")
            if depth == 0:
                return i
            i = self.close.get(i, i) + 1
        return None

    def brace_after(self, i: int, allowed: set[str], parameters: bool) -> int | None:
        """Return the next brace, if only names, groups and what is allowed come before it."""
        while i < len(self.texts) and self.texts[i] != "{":
            text = self.texts[i]
            if text == "(" and not parameters and self.texts[i - 1] not in NO_FUNCTION:
                return None
            end = self.angle_close(i) if text == "<" else self.close.get(i, i)
            if end is None or (end == i and not text.isidentifier() and text not in allowed):
                return None
            i = end + 1
        return i if i < len(self.texts) else None

    def type_brace(self, i: int) -> int | None:
        """Return the brace of the class or enum that is defined here, if one is."""
        if self.texts[i] not in TYPES:
            return None
        return self.brace_after(i + 1, {"::", ":", ",", "..."}, parameters=False)

    def lambda_brace(self, i: int) -> int | None:
        """Return the brace of the lambda that begins here, if one does."""
        if self.texts[i] != "[" or self.texts[i + 1] == "[":  # [[ begins an attribute
            return None
        before = self.texts[i - 1] if i else ";"
        value = before.isidentifier() and before not in ("return", "co_return", "co_yield")
        if value or before in (")", "]", "[", ">", '""'):  # an index
            return None
        return self.brace_after(self.close[i] + 1, {"->", "::", "*", "&", "&&"}, parameters=True)

    def type_name(self, i: int, brace: int) -> str:
        """Return the name between the keyword of a class and its brace, if there is one."""
        name = ""
        while i < brace and self.texts[i] not in (":", "final", "<"):
            text = self.texts[i]
            if text == "::" or name.endswith("::"):
                name += text
            elif text.isidentifier() and text not in NO_FUNCTION:
                name = text
            i = self.close.get(i, i) + 1
        return name

    def word(self, i: int) -> tuple[str, int]:
        """Return a token, or a group of brackets as one word, and where it ends."""
        text, end = self.texts[i], self.close.get(i, i)
        if text == "<":
            close = self.angle_close(i)
            return (text, i) if close is None else ("<>", close)
        if text == "(" and POINTER.match(" ".join(self.texts[i + 1 : end])):
            return "(*)", end
        return (text + CLOSING[text], end) if text in CLOSING else (text, end)


class Reader:
    """The classes and functions of a file.

    Declarations are read as words, where a group of brackets is one word: () [] {} <>, or (*) for
    a pointer to a function.
    """

    def __init__(self, code: str) -> None:
        self.sizes: list[Size] = []
        self.tokens = Tokens(code)
        self._scope(0, len(self.tokens.texts), "")
        for i in range(len(self.tokens.texts)):
            brace = self.tokens.lambda_brace(i)
            if brace is not None:
                self._lambda(brace)

    def _scope(self, i: int, last: int, path: str) -> int:
        """Read a file, a namespace or a class; return how many data members it has."""
        members, words = 0, list[str]()
        while i < last:
            brace = self.tokens.type_brace(i)
            if brace is not None:
                members += self._type(i, brace, path)
                words.append("type")
                i = self.tokens.close[brace]
            elif self.tokens.texts[i] == "{":
                words = self._brace(i, words, path)
                i = self.tokens.close[i]
            elif self.tokens.texts[i] == ";":
                members += data_members(words)
                words = []
            else:
                word, i = self.tokens.word(i)
                words.append(word)
            if words in (["public", ":"], ["protected", ":"], ["private", ":"]):
                words = []
            i += 1
        return members

    def _type(self, i: int, brace: int, path: str) -> int:
        """Read a class; return its members if they belong to the class around it."""
        end = self.tokens.close[brace]
        if self.tokens.texts[i] == "enum":
            return 0
        name = self.tokens.type_name(i + 1, brace)
        full = path + (name or "unnamed")
        members = self._scope(brace + 1, end, full + "::")
        self.sizes.append(Size("class", full, self.tokens.lines[i], members, brace, end))
        return members if not name and self.tokens.texts[end + 1 : end + 2] == [";"] else 0

    def _brace(self, brace: int, words: list[str], path: str) -> list[str]:
        """Read what a brace opens; return the words of the declaration, if it goes on after it."""
        if "namespace" in words or words == ["extern", '""']:
            self._scope(brace + 1, self.tokens.close[brace], path)
            return []
        if not opens_body(words):
            return [*words, "{}"]
        found = NAME.search(" ".join(words[: parameters(words)]))
        name = re.sub(r" <>|(?<!operator) ", "", found[1]) if found else "?"
        self._function(path + name, brace)
        self._types_inside(path + name, brace)
        return []

    def _lambda(self, brace: int) -> None:
        around = [size for size in self.sizes if size.first < brace < size.last]
        path = max(around, key=lambda size: size.first).name + "::" if around else ""
        self._function(path + "lambda", brace)
        if all(size.kind == "class" for size in around):
            self._types_inside(path + "lambda", brace)

    def _function(self, name: str, brace: int) -> None:
        lines, end = self.tokens.lines, self.tokens.close[brace]
        amount = lines[end] - lines[brace] + 1
        self.sizes.append(Size("function", name, lines[brace], amount, brace, end))

    def _types_inside(self, name: str, brace: int) -> None:
        """Read the classes that are defined inside a function."""
        i = brace + 1
        while i < self.tokens.close[brace]:
            inner = self.tokens.type_brace(i)
            if inner is not None:
                self._type(i, inner, name + "::")
                i = self.tokens.close[inner]
            i += 1


def parameters(words: list[str]) -> int | None:
    """Return which word holds the parameters of a function, if the words declare one."""
    place = None
    for k, word in enumerate(words):
        if word in ("(*)", "=", ":"):
            break
        if word == "()" and k > 0 and words[k - 1] not in NO_FUNCTION:
            place = k  # the last one: the words may begin with a macro and its arguments
    return place


def opens_body(words: list[str]) -> bool:
    """Return whether a brace after these words opens the body of a function."""
    k = parameters(words)
    if k is None or ":" not in words[k:]:
        return k is not None
    # In the list of initialisers of a constructor a brace after a name holds a value.
    return words[-1] in ("()", "{}", "...")


def data_members(words: list[str]) -> int:
    """Return how many data members a declaration in a class makes."""
    words = [word for word in words if word != "[]"]
    if NO_DATA & set(words):
        return 0
    while words and words[0] in TYPES:  # `struct A a;` makes a member, `struct A;` does not
        words = words[1:]
    count = 0
    for k, part in enumerate(" ".join(words).split(" ,")):
        before = re.split(r" (?:=|:|\{\})(?= |$)", part)[0].split()
        needed = 1 if k else 2  # words: the type stands before the first name only
        count += len(before) >= needed and parameters(before) is None
    return count


def measure(code: str) -> list[Size]:
    """Return the sizes of a file and of the classes and functions in it."""
    lines = code.count("\n") + (not code.endswith("\n"))
    try:
        return [Size("file", "", 1, lines), *Reader(code).sizes]
    except BracketError as error:
        bracket, line = error.args
        return [Size("bracket", bracket, line, 1)]
