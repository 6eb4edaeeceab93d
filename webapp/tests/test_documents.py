"""The documents of a stranger's first hours: their commands exist with these options, and their links lead somewhere."""

from __future__ import annotations

import os
import re
from pathlib import Path

from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
RUN_BY = {
    "public_data": "webapp/bulk/tests",
    "store": "webapp/files/tests",
    "accept": "webapp/accounts/tests",
    "archive": "webapp/accounts/tests",
    "backup": "webapp/backups/tests",
    "block": "webapp/accounts/tests",
    "check_data": "webapp/permalinks/tests",
    "curator": "webapp/accounts/tests",
    "export": "webapp/tests/test_commands.py",
    "ingest": "webapp/tests/test_commands.py",
    "load_fixtures": "webapp/studies/tests",
    "partition": "webapp/storage/tests",
    "person": "webapp/api/tests",
    "prepare": "webapp/tests/test_upgrade.py",
    "reconcile": "webapp/storage/tests",
    "reread": "webapp/archives/tests",
    "restore": "webapp/backups/tests",
    "sign_in_link": "webapp/accounts/tests",
    "verify-permalinks": "webapp/permalinks/tests",
}
"""Where each command of ours that a document names is run."""

_INDENTED = re.compile(r"^    (\S.*)$", re.MULTILINE)
_QUOTED = re.compile(r"`((?:\.venv/bin/python )?(?:manage\.py|script/)[^`]*)`")
_OPTION = re.compile(r"--[a-z][a-z-]*")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def commands_of(document: Path) -> list[str]:
    text = re.sub(
        r"```.*?\n(.*?)```", lambda m: re.sub(r"^", "    ", m[1], flags=re.MULTILINE), document.read_text(), flags=re.DOTALL
    )
    found = [line.split("  #")[0].strip() for line in _INDENTED.findall(text)] + _QUOTED.findall(text)
    return [line for line in found if re.match(r"(\S*python )?manage\.py|script/", line)]


COMMANDS = sorted({(document.name, command) for document in DOCUMENTS for command in commands_of(document)})


def test_the_commands_of_the_documents_exist_with_their_options():
    assert len(COMMANDS) > 20
    assert {f"{document}: {command}": fault for document, command in COMMANDS if (fault := fault_of(command))} == {}


def fault_of(command: str) -> str:
    """What is wrong with a command of the documents; empty where nothing is."""
    command = command.partition(" | ")[0]
    words = command.split()
    if words[0].startswith("script/"):
        script = ROOT / words[0]
        if not os.access(script, os.X_OK):
            return f"{words[0]} cannot be run"
        sources = [script, *(ROOT / "script/benches").rglob("*.py")] if script.name == "bench" else [script]
        sources += [ROOT / "script/supervise.py", ROOT / "webapp/tests/plugin.py"]
        known = "\n".join(source.read_text() for source in sources)
        return _unknown_options(command, known)
    name = words[words.index("manage.py") + 1] if "manage.py" in words else words[1]
    application = get_commands().get(name)
    if application is None:
        return f"there is no command {name}"
    parser = load_command_class(application, name).create_parser("manage.py", name)
    text = parser.format_help()
    for action in parser._actions:
        if action.choices and hasattr(action.choices, "values"):
            text += "".join(sub.format_help() for sub in action.choices.values())
    if application == "webapp":
        run_by = ROOT / RUN_BY[name]
        files = [run_by] if run_by.is_file() else sorted(run_by.glob("test_*.py"))
        if not any(f'"{name}"' in file.read_text() for file in files):
            return f"no test of {RUN_BY[name]} runs {name}"
    return _unknown_options(command, text)


def _unknown_options(command: str, known: str) -> str:
    unknown = [option for option in _OPTION.findall(command) if option not in known]
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def test_the_links_of_the_documents_lead_to_files():
    links = [(document, target) for document in DOCUMENTS for target in _LINK.findall(document.read_text())]
    assert len(links) > 20
    assert [(document.name, target) for document, target in links if not (document.parent / target).exists()] == []
