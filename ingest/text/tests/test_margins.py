"""What stands before all lines is taken away only where it stands before all of them."""

from __future__ import annotations

import pytest

from ingest.text.markup import strip_margin


@pytest.mark.parametrize(
    ("body", "clean"),
    (
        ("# a\n#\n#   b\n## c\n", "a\n\n  b\n# c\n"),
        ("/*\n * a\n *\n * b\n * c\n */\n", "/*\na\n\nb\nc\n */\n"),
        ("     1\ta\n     2\t\n     3\tb\n", "a\n\nb\n"),
        ("     1\ta\n       \n     2\tb\n     3\tc\n", "a\n\nb\nc\n"),
        ("| a\n|\n| b\n| c\n", "a\n\nb\nc\n"),
        ("======\n# a\n#\n#  b\n======\n", "======\na\n\n b\n======\n"),
        ("#####\n; a\n; b\n; c\n#####\n", "#####\na\nb\nc\n#####\n"),
        ("@@ -0,0 +1,2 @@\n+{\n+ }\n+z\n", "@@ -0,0 +1,2 @@\n{\n }\n+z\n"),
        ("1:a\n2:b\n3:c\n4:d\n5:\n", "a\nb\nc\nd\n\n"),
        ("Untitled\n  1. a\n  2. b\n  3. \n  4.\n  5.  c\n  6. d\n  7. e\n  8. f\nAdd\n", "Untitled\na\nb\n\n\n c\nd\ne\nf\nAdd\n"),
    ),
)
def it_takes_a_margin_away(body, clean):
    assert strip_margin(body) == clean


@pytest.mark.parametrize(
    "body",
    (
        "",
        "# a\n# b\nc\n# d\n",  # one line is no comment
        "# dd if=/dev/zero of=/tank/f\n# zfs list\n# zpool status\n",  # commands at a prompt
        "+ dd if=/dev/zero of=/tank/f\n+ sync\n+ rm /tank/f\n",  # of set -x
        "1\t10\n2\t20\n4\t40\n8\t80\n16\t160\n",  # a table: its first column does not count on
        "1:10\n2:20\n3:30\n",
        "12:00:01 a\n12:00:02 b\n12:00:03 c\n12:00:04 d\n12:00:05 e\n",
        "     1  10\n   2  20\n     3  30\n     4  40\n     5  50\n",
        "1  10\n2  20\n3  30\n4  40\n5  50\n6  60\n",
        "#!/bin/sh\n",
        "1. Install it.\n2. Run it.\n3. Wait.\n4. Read.\n5. Compare.\n",  # a list that somebody wrote
        "1. a\n2. b\n3. c\n4. d\n6. e\n7. f\n8. g\n9. h\n10. i\n11. j\n",
        "| a |\n|---|\n| b |\n| c |\n",
        "@@ -1 +1,2 @@\n-a\n+b\n+c\n",
    ),
)
def it_leaves_everything_else(body):
    assert strip_margin(body) == body


def it_looks_once_at_a_line_of_many_cells():
    """A search that begins at each of them takes hours here."""
    body = 500_000 * "| - " + "\n| a\n| b\n"
    assert strip_margin(body) == body[2:].replace("\n| ", "\n")


def it_passes_over_a_hunk_of_more_lines_than_any_text_has():
    assert strip_margin("@@ -1 +1," + "9" * 5000 + " @@\n+a\n") == "@@ -1 +1," + "9" * 5000 + " @@\n+a\n"
