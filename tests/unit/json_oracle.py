#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Judges src/base/json_doc.c and json_value.c by Python's own reader.

Each line on standard input: a document in hexadecimal, then "-" if it was refused, else what was read: n, t, f, i<digits>, d<its
64 bits in hexadecimal>, s<UTF-8 in hexadecimal>, [elements], {members}. Prints every disagreement; the exit status says whether there was one.
"""
import json
import struct
import sys


class Integer(str):
    """An integer as it stands in the text."""


class Members(list):
    """Of an object, in their order."""


class Refused(Exception):
    """What RFC 8259 leaves to the reader, and ours refuses."""


def refuse(_):
    raise Refused


def members(pairs):
    """A key may come again with the same text or number, not with another value."""
    seen = {}
    for key, value in pairs:
        if key in seen and (isinstance(value, list) or render(seen[key]) != render(value)):
            raise Refused
        seen[key] = value
    return Members(pairs)


def text(value):
    """UTF-8 in hexadecimal; halves of a pair of surrogates are none."""
    try:
        return "s" + value.encode().hex()
    except UnicodeEncodeError as error:
        raise Refused from error


def render(value):
    if value is None:
        return "n"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, Integer):
        return f"i{value}"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, float):
        return "d" + struct.pack(">d", value).hex()
    if isinstance(value, Members):
        return "{" + ",".join(text(k) + render(v) for k, v in value) + "}"
    return "[" + ",".join(render(v) for v in value) + "]"


def judge(document):
    try:
        return render(json.loads(document.decode(), parse_constant=refuse, parse_int=Integer, object_pairs_hook=members))
    except (ValueError, Refused):
        return "-"


def main():
    wrong = judged = accepted = 0
    for line in sys.stdin:
        document, ours = line.rstrip("\n").split(" ", 1)
        document = bytes.fromhex(document)
        theirs = judge(document)
        judged += 1
        accepted += theirs != "-"
        if ours != theirs:
            wrong += 1
            print(f"{document!r}: read as {ours}, but it is {theirs}")
    print(f"{judged} documents, {accepted} of them JSON, {wrong} misjudged")
    return 1 if wrong or not accepted or accepted == judged else 0


sys.exit(main())
