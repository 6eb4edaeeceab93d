"""Readers of configuration evidence: one module per kind, each ends in READER = Reader(...).

A reader of listings finds the form of their lines anywhere in a text, whether or not the command stands above them, unless its
docstring names the command as a condition. No reader looks at what the prose around a line says of it; only readers of prose
(labels) leave out words that compare or name another system, as their docstrings say. Module docstrings list the forms. What a
text without results only mentions is left out after every reader (`ingest.text.mentions`).

Conventions that `ingest.configuration` relies on:
* `Clue.group` of a dump is the line on which the dump begins; of a label it is a name for its kind.
* `Clue.subject` is a pool or data set (`tank/backup`), a mount point (`/mnt/bench`) or a device (`/dev/sdb`).
* Clues of names have line 0; the raw text is the folder's or file's name.
* `pool.compression_effective` is what `compression=on` means in that pool, and has no meaning where
  compression is not `on`.
* Clues of a manifest have the kind `stated`; `subject` is the glob of the files, '' for the whole archive.
"""
