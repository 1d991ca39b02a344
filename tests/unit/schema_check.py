#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Validates a result.json against a JSON Schema with an independent validator: SCHEMA RESULT.

Then breaks the result in every way that a type allows and demands that each breakage is refused: a schema that accepts
anything would pass the first half. Exit status 4: the validator is not installed (python3-jsonschema).
"""
import copy
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(4)


def places(value, path=()):
    """Every place in a document, with its value."""
    yield path, value
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = list(enumerate(value))[:2]
    else:
        children = ()
    for key, child in children:
        yield from places(child, path + (key,))


def replaced(document, path, value):
    document = copy.deepcopy(document)
    node = document
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return document


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    result = json.load(open(sys.argv[2], encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    errors = [f"{list(e.absolute_path)}: {e.message[:200]}" for e in validator.iter_errors(result)]
    # One cell is enough to try every key; validating thousands of variants of the whole takes minutes.
    small = dict(result, cells=[dict(result["cells"][0], samples=result["cells"][0]["samples"][:1])])
    small["cells"][0]["trace"]["sets"] = small["cells"][0]["trace"]["sets"][:1]
    tried = 0
    for path, value in places(small):
        if not path or value is None:
            continue
        wrong = {"a": 1} if not isinstance(value, dict) else [1]
        tried += 1
        if validator.is_valid(replaced(small, path, wrong)):
            errors.append(f"{path}: the schema accepts {wrong} instead of {str(value)[:60]}")
    if tried < 150:
        errors.append(f"only {tried} places tried")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
