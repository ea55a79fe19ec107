"""Finds the functions of a C or C++ file without compiling it: good enough to measure them."""

import re
from typing import NamedTuple

# comments, raw strings, strings, characters, preprocessor lines with their continuations
NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
NAME_BEFORE_PARENTHESIS = re.compile(r"(operator\s*(?:\(\)|[^\s\w(]+|\w+)|~?\w+)\s*\(")
NOT_A_NAME = {"alignas", "decltype", "noexcept", "requires", "__attribute__", "explicit"}
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
# a constructor's member being initialized with braces: `: speed_mps_` in `: speed_mps_{0}`
MEMBER_INITIALIZER = re.compile(r"\)[\w\s]*:(?!:).*[\w>]\s*$", re.DOTALL)


class Function(NamedTuple):
    """A function with a body, or a declaration (lines = 0)."""

    name: str
    line: int
    lines: int
    parameters: int


def blank_noise(text):
    """Replaces what is not code by spaces, keeping the lines."""
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def closing(text, start):
    """Index of the bracket that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += text[index] in "({["
        depth -= text[index] in ")}]"
        if depth == 0:
            return index
    return len(text) - 1


def count_parameters(text):
    """Number of parameters in the text between a declaration's parentheses."""
    depth, commas = 0, 0
    for character in text.replace("->", "  "):
        depth += character in "({[<"
        depth -= character in ")}]>"
        commas += character == "," and depth == 0
    return commas + 1 if text.strip() not in ("", "void") else 0


def named_parentheses(header):
    """(name, start, end) of the first parentheses that follow a name, or None."""
    for match in NAME_BEFORE_PARENTHESIS.finditer(header):
        if match[1] not in NOT_A_NAME:
            start = match.end() - 1
            return match[1], start, closing(header, start)
    return None


def find_functions(text):
    """Yields the functions of a file, outermost ones only (lambdas belong to their function)."""
    text = blank_noise(text)
    begin, index = 0, 0
    while index < len(text):
        character = text[index]
        header = text[begin:index]
        if character == "(":
            index = closing(text, index)
        elif character in ";}":
            function = make_function(text, begin, index, index)
            if character == ";" and function:
                yield function
            begin = index + 1
        elif character == "{":
            function = make_function(text, begin, index, closing(text, index))
            if function and MEMBER_INITIALIZER.search(header):
                index = closing(text, index)
            elif function:
                yield function
                index = closing(text, index)
                begin = index + 1
            elif SCOPE.search(header):
                begin = index + 1
            else:
                index = closing(text, index)
        index += 1


def make_function(text, begin, body, end):
    """The function whose header is text[begin:body] and whose body ends at `end`, or None."""
    header = text[begin:body]
    found = named_parentheses(header)
    if found is None or "=" in re.sub(r"operator\s*\S+", "", header[:found[1]]):
        return None
    name, start, stop = found
    first_line = text.count("\n", 0, begin + header.index(name)) + 1
    lines = text.count("\n", begin + start, end) + 1 if end > body else 0
    return Function(name, first_line, lines, count_parameters(header[start + 1:stop]))
