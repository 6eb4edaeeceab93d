#!/usr/bin/env python3
"""Check the bundle of a Poolmark collection offline, with nothing but Python 3.8 or later:

    python3 verify.py [SHA-256] [FOLDER]

SHA-256 is the digest of the bundle, as its page and its citations print it. Every file must be as manifest.json lists it;
each figure is checked as its own bundle would be (see verify_figure.py), and its record must have the digest that
collection.json lists. Exit codes are those of verify_figure.py.
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


def check_figures(check, folder):
    """(problems, values, of them taken as recorded, figures) of the figures of an unpacked collection."""
    with open(os.path.join(folder, "collection.json"), encoding="utf-8") as file:
        told = json.load(file)
    problems, values, taken = [], 0, 0
    for number, figure in enumerate(told["figures"], 1):
        try:
            found, count, recorded = check.check_folder(os.path.join(folder, *place_of(number, figure).split("/")), figure["digest"])
        except check.UNREADABLE as error:
            found, count, recorded = [f"record.json cannot be read: {type(error).__name__} {error}"], 0, 0
        problems += ["figure %d (%s): %s" % (number, figure["id"], problem) for problem in found]
        values, taken = values + count, taken + recorded
    return problems, values, taken, len(told["figures"])


def main(arguments):
    check = figure_check(os.path.dirname(os.path.abspath(__file__)))
    expected, folder = check.arguments_of(arguments)
    try:
        problems, bundle, record = check.manifest_problems(folder)
        found, values, taken, figures = check_figures(check, folder)
    except check.UNREADABLE as error:
        return check.report([f"changed: a file cannot be read: {type(error).__name__} {error}"], check.DIFFERS, "", "")
    problems += found
    code = {"": check.ITSELF, bundle: check.COVERED, record: check.RECORD_ALONE}.get(expected)
    if code is None:
        problems.append(f"changed: neither manifest.json ({bundle}) nor collection.json ({record}) has the digest {expected}")
    head = "all %d values" % values if not taken else "%d values, %d of them taken as recorded," % (values, taken)
    sentence = "%s of %d figure%s recomputed" % (head, figures, "" if figures == 1 else "s")
    return check.report(problems, check.DIFFERS if problems else code, sentence, bundle)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
