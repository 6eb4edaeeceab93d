"""Operations by the names that iozone gives them in its three kinds of report (iozone.c; iozone documentation)."""

from __future__ import annotations

# The automatic table: title words over each other, read downwards, left to right.
COLUMNS = tuple(
    """
    write rewrite read reread random_read random_write backward_read record_rewrite strided_read fwrite frewrite
    fread freread
    """.split()
)
LOWER_TITLES = tuple("write rewrite read reread read write read rewrite read fwrite frewrite fread freread".split())
NATIVE_NAMES = {
    "random_read": "random read",
    "random_write": "random write",
    "backward_read": "bkwd read",
    "record_rewrite": "record rewrite",
    "strided_read": "stride read",
}
# Option -E: the operation, then the same again, under a title of its own or under a bare `rewrite`, `reread`.
EXTENSIONS = ("pwrite", "pread", "pwritev", "preadv")
TITLES = {
    ("", "write"): "write",
    ("", "rewrite"): "rewrite",
    ("", "read"): "read",
    ("", "reread"): "reread",
    ("random", "read"): "random_read",
    ("random", "write"): "random_write",
    ("bkwd", "read"): "backward_read",
    ("record", "rewrite"): "record_rewrite",
    ("stride", "read"): "strided_read",
    ("", "fwrite"): "fwrite",
    ("", "frewrite"): "frewrite",
    ("", "fread"): "fread",
    ("", "freread"): "freread",
    **{("", name): name for name in EXTENSIONS},
}
# Tests of the option -i, and the columns that each of them fills.
TEST_OPERATIONS = {
    "0": ("write", "rewrite"), "1": ("read", "reread"), "2": ("random_read", "random_write"), "3": ("backward_read",),
    "4": ("record_rewrite",), "5": ("strided_read",), "6": ("fwrite", "frewrite"), "7": ("fread", "freread"),
    "9": ("pwrite", "repwrite"), "10": ("pread", "repread"), "11": ("pwritev", "repwritev"), "12": ("preadv", "repreadv"),
}  # fmt: skip

# Throughput mode: who sees the throughput.
WORKER_OPERATIONS = {
    "initial writers": "write", "rewriters": "rewrite", "readers": "read", "re-readers": "reread",
    "reverse readers": "backward_read", "stride readers": "strided_read", "random readers": "random_read",
    "mixed workload": "mixed", "random writers": "random_write", "pwrite writers": "pwrite", "pread readers": "pread",
    "fwriters": "fwrite", "freaders": "fread",
}  # fmt: skip

# Titles of the spreadsheet reports, lower case, of -R and -b, and the row labels of throughput mode's report.
REPORT_OPERATIONS = {
    "writer": "write",
    "re-writer": "rewrite",
    "reader": "read",
    "re-reader": "reread",
    "random read": "random_read",
    "random write": "random_write",
    "backward read": "backward_read",
    "record rewrite": "record_rewrite",
    "stride read": "strided_read",
    "fwrite": "fwrite",
    "re-fwrite": "frewrite",
    "fread": "fread",
    "re-fread": "freread",
    **{name: name for name in EXTENSIONS},
    **{f"re-{name}": f"re{name}" for name in EXTENSIONS},
}
LABEL_OPERATIONS = {
    "initial write": "write", "rewrite": "rewrite", "read": "read", "re-read": "reread", "reverse read": "backward_read",
    "stride read": "strided_read", "random read": "random_read", "mixed workload": "mixed", "random write": "random_write",
    "pwrite": "pwrite", "pread": "pread", "fwrite": "fwrite", "fread": "fread",
}  # fmt: skip
