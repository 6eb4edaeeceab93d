"""Readers of configuration evidence: one module per kind, each ends in READER = Reader(...).

Conventions that all of them keep, so that the resolver can treat them alike:
* `Clue.group` of a dump is the line on which the dump begins; of a label it is a name for its kind.
* `Clue.subject` is a pool or data set (`tank/backup`), a mount point (`/mnt/bench`) or a device (`/dev/sdb`).
* Clues of names have line 0; the raw text is the folder's or file's name.
* `pool.compression_effective` is what `compression=on` means in that pool; where compression is not `on` it says
  nothing.
* Clues of a manifest have the kind `stated`; `subject` is the glob that they hold for, '' for the whole archive.
"""
