"""The commands of a text are put together once, not for each summary."""

from __future__ import annotations

import ingest
from ingest.parsers.copies import _dd_records

_COPY = """# dd if=/dev/zero of=/tank/a{at} bs=1M count=100
100+0 records in
100+0 records out
104857600 bytes (105 MB, 100 MiB) copied, 0.5 s, 210 MB/s
"""


def test_every_summary_is_given_the_same_list(tmp_path, monkeypatch):
    given = []
    original = _dd_records.make_records

    def noted(lines, commands, *rest):
        given.append(commands)
        return original(lines, commands, *rest)

    monkeypatch.setattr(_dd_records, "make_records", noted)
    path = tmp_path / "log.txt"
    path.write_text("".join(_COPY.format(at=at) for at in range(20)))
    list(ingest.read([path]))
    assert len(given) >= 20
    assert all(commands is given[0] for commands in given)
