#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Validates scenarios (as JSON) against the JSON Schema with an independent validator: SCHEMA SCENARIO...

Then breaks each: an unknown key in every map and a list of maps in place of every value must be refused, and every key
that the schema calls required must be missed when it is gone. Exit status 4: the validator is not installed.
"""
import copy
import json
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit(4)


def places(value, path=()):
    """Every place in a document, with its value. What stands in the quick profile is free."""
    yield path, value
    if isinstance(value, dict):
        children = [(k, v) for k, v in value.items() if path or k != "quick"]
    elif isinstance(value, list):
        children = list(enumerate(value))
    else:
        children = []
    for key, child in children:
        yield from places(child, path + (key,))


def changed(document, path, change):
    document = {"": copy.deepcopy(document)}
    node = document
    for key in ("",) + path[:-1]:
        node = node[key] if path else node
    change(node, path[-1] if path else "")
    return document[""]


def put(value):
    return lambda node, key: node.__setitem__(key, value)


def add_key(node, key):
    node[key]["xyzzy"] = 1


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    errors, tried = [], 0

    def must_refuse(name, path, what, document):
        nonlocal tried
        tried += 1
        if validator.is_valid(document):
            errors.append(f"{name}: {list(path)}: the schema accepts {what}")

    for name in sys.argv[2:]:
        scenario = json.load(open(name, encoding="utf-8"))
        errors += [f"{scenario['name']}: {list(e.absolute_path)}: {e.message[:200]}"
                   for e in validator.iter_errors(scenario)]
        for key in schema["required"]:
            must_refuse(scenario["name"], [key], "its absence", changed(scenario, (key,), lambda n, k: n.pop(k)))
        for path, value in places(scenario):
            must_refuse(scenario["name"], path, "a list of maps", changed(scenario, path, put([{"xyzzy": 1}])))
            if isinstance(value, dict):
                must_refuse(scenario["name"], path, "an unknown key", changed(scenario, path, add_key))
    if tried < 300:
        errors.append(f"only {tried} variants tried")
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
