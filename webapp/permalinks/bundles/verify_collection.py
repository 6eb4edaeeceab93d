#!/usr/bin/env python3
"""Check the bundle of a Poolmark collection offline, with nothing but Python 3.8 or later:  python3 verify.py [SHA-256]

Each figure is checked as its own bundle would be (see verify_figure.py): every raw text on its line, every value from its
text, the statistics from the values. Besides, collection.json must have the digest that the page or the paper prints (give
it as the argument to be sure), each record the digest that collection.json tells, and every file its checksum. The last
line says `all N values of M figures recomputed, every digest matches`; the exit code is 0 then and else 1.
"""
import importlib.util
import json
import os
import sys


def figure_check(folder):
    """The module that checks one figure, from beside this file."""
    spec = importlib.util.spec_from_file_location("verify_figure", os.path.join(folder, "verify_figure.py"))
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def place_of(number, figure):
    """The folder of a figure, counted from 1."""
    return "figures/%02d-%s" % (number, figure["id"])


def check_all(folder, expected):
    """(problems, values, of them taken as recorded, figures) of an unpacked collection."""
    check = figure_check(folder)
    path = os.path.join(folder, "collection.json")
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    problems, values, taken = [], 0, 0
    if check.digest_of(path) != expected:
        problems.append(f"collection.json has not the digest {expected}")
    for number, figure in enumerate(told["figures"], 1):
        try:
            found, count, recorded = check.check_folder(os.path.join(folder, *place_of(number, figure).split("/")), figure["digest"])
        except OSError as error:
            found, count, recorded = [f"a file is missing: {error.filename}"], 0, 0
        problems += ["figure %d (%s): %s" % (number, figure["id"], problem) for problem in found]
        values, taken = values + count, taken + recorded
    return problems + check.sums_problems(folder), values, taken, len(told["figures"])


def main(arguments):
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "digest.txt"), encoding="ascii") as file:
        told_digest = file.read().strip()
    problems, values, taken, figures = check_all(folder, arguments[0] if arguments else told_digest)
    for problem in problems:
        print(problem)
    if problems:
        print("%d problem%s" % (len(problems), "" if len(problems) == 1 else "s"))
        return 1
    head = "all %d values" % values if not taken else "%d values, %d of them taken as recorded," % (values, taken)
    print("%s of %d figure%s recomputed, every digest matches" % (head, figures, "" if figures == 1 else "s"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
