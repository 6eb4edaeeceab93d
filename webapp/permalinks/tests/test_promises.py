"""docs/permalinks.md promises only what a test tries: every sentence and row of it is listed here with the tests that try it.

Another sentence in the document needs another line here.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
DOCUMENT = TOP / "docs" / "permalinks.md"
HERE = "webapp/permalinks/tests/"
TABLE_HEADS = ("| digest |", "| parameter |", "| exit code |", "| on the server |", "| field |", "| file |")

PROMISES = {
    "A permalink freezes a comparison, a run or": "test_freeze.it_freezes_a_run test_freeze.it_freezes_the_table_of_an_archive",
    "Nothing changes it later:": "test_independence.it_keeps_every_file_whatever_happens",
    "Signed-in users find *Freeze*": "test_freeze.it_offers_to_freeze_on_the_pages",
    "Title and authors are frozen too;": "test_record.it_is_the_same_for_the_same_person_and_content_only",
    "A table holds at most": "test_freeze.it_says_that_a_table_is_too_large",
    "**Order and names of your own**": "test_author_words.it_is_arranged_by_a_form_without_scripts",
    "*Order, rename or hide values first*": "test_author_words.it_is_arranged_by_a_form_without_scripts",
    "A hidden value needs a reason.": "test_author_words.it_says_what_would_mislead_and_draws_without_it",
    "Figure, table and caption say": "test_author_words.it_prints_what_is_not_shown_and_why",
    "REASON* and what is not shown;": "test_author_words.it_shows_the_same_on_the_page_of_comparison_and_of_the_permalink",
    "The record, `data.csv`, `groups.csv` and": "test_author_words.it_has_hidden_groups_in_every_table",
    "Claims are about all values,": "test_author_words.it_keeps_every_group_and_claim",
    "No two values get one name,": "test_author_words.it_says_what_would_mislead_and_draws_without_it",
    "Private values of your own are": "test_freeze.it_asks_before_it_publishes_ones_own_private_values",
    "Private values of others are never": "test_freeze.it_leaves_others_private_values_out_of_a_comparison",
    "The address begins with the first": "test_history.it_freezes_under_the_public_origin_where_there_is_one",
    "Without one, *Freeze* says": "test_history.it_says_that_a_local_address_leads_nowhere",
    "The ID has ten characters": "test_freeze.it_tells_a_mistyped_name_from_one_that_was_never_given",
    "The last one is a check character:": "test_freeze.it_tells_a_mistyped_name_from_one_that_was_never_given",
    "**A banner** when sources": "test_independence.it_shows_corrected_values_side_by_side",
    "**Both digests**, once all": "test_promises.it_counts_files_until_all_are_made",
    "**Its history** at": "test_history.it_has_the_values_that_a_later_reading_changed",
    "A deletion removes no reason": "test_history.it_keeps_the_reason_of_a_withdrawal_that_was_followed_by_a_deletion",
    "Embedded pages, oEmbed, JSON-LD": "test_history.it_keeps_the_reason_of_a_withdrawal_that_was_followed_by_a_deletion",
    "**Versions**": "test_history.it_freezes_again_as_the_next_version",
    "*Freeze again with today's data*": "test_history.it_freezes_again_as_the_next_version",
    "**A DOI**, once the owner": "test_citation.it_shows_the_doi_of_the_owner_and_keeps_the_frozen_files",
    "Frozen files stay as they are.": "test_citation.it_shows_the_doi_of_the_owner_and_keeps_the_frozen_files",
    "`/log` (`/log.json?after=N`) lists": "test_history.it_has_an_entry_for_each_act"
    " test_history.it_shows_the_log_and_gives_it_as_json",
    "Each entry holds the SHA-256": "test_history.it_finds_every_change_of_an_entry",
    "Anyone who kept the hash": "test_history.it_finds_a_chain_that_was_rewritten_by_its_head",
    "`manage.py export --format log` writes": "test_history.it_is_exported_as_a_chain_that_anybody_can_check",
    "`manage.py check_data` walks the log": "test_history.it_checks_all_by_command test_history.it_finds_lost_bytes",
    "APA, IEEE, ACM, Chicago": "webapp/formats/tests/test_styles.py",
    "`.bib` needs": "webapp/formats/tests/test_bib_styles.py",
    "`.ris`, `.csl`,": "test_citation.it_writes_ris_that_its_library_reads test_citation.it_writes_csl_json_that_its_library_reads",
    "JSON-LD and Open Graph": "test_citation.it_stands_in_the_page_as_linked_data",
    "**Collections** (`/c/ID`)": "test_collections.it_is_cited_as_one_work test_collections.it_gives_exactly_the_frozen_bytes"
    " test_collections.it_says_in_its_citations_that_sources_were_withdrawn",
    "`/c/ID.zip` holds all": "test_collections.it_checks_all_figures_offline",
    "`/p/ID.pdf?form=bare": "test_drawn_files.it_gives_every_form"
    " test_drawn_files.it_leads_from_the_form_to_the_address_of_the_file",
    "`/p/ID/caption.tex`,": "test_drawn_files.it_gives_every_form webapp/formats/tests/test_captions.py",
    "What is drawn on request": "test_drawn_files.it_gives_every_form",
    "| `form` |": "test_drawn_files.it_gives_every_form",
    "| `width`, `height` |": "test_drawn_files.it_says_what_is_out_of_range test_drawn_files.it_says_how_high_a_figure_has_to_be",
    "| `font` |": "test_drawn_files.it_gives_every_form",
    "| `size` |": "test_drawn_files.it_says_what_is_out_of_range",
    "| `grey` |": "test_drawn_files.it_gives_every_form",
    "| `part` |": "test_drawn_files.it_offers_parts_of_a_figure_of_many_rows",
    "| `dpi` |": "test_drawn_files.it_says_what_is_out_of_range",
    "Bundles made since captions were added": "test_forgery.it_names_every_missing_file"
    " test_bundle.it_has_captions_beside_its_figures",
    "A caption for LaTeX has": "webapp/formats/tests/test_captions.py",
    "`/p/ID.tex?form=figure`": "test_drawn_files.it_includes_the_pdf_in_a_figure_of_latex",
    "Forms that earlier versions drew": "test_drawn_files.it_keeps_the_bytes_of_a_form_that_was_frozen"
    " test_drawn_files.it_says_what_to_use_instead_of_a_form_that_is_gone",
    "Draw it yourself from": "test_tables.it_gives_lines_for_pandas_that_draw_the_data",
    "With pandas and matplotlib": "test_tables.it_gives_lines_for_pandas_that_draw_the_data",
    "With pgfplots, every run": "test_tables.it_gives_lines_for_pgfplots_that_name_columns_of_the_data",
    "Citations asked for before": "test_citation.it_cites_the_record_until_the_files_are_drawn",
    "`/p/ID.zip` is an RO-Crate": "test_bundle.it_is_a_crate_that_its_own_library_reads",
    "| record |": "test_bundle.it_recomputes_every_value_offline",
    "| bundle |": "test_forgery.it_names_every_changed_file",
    "`manifest.json` lists path": "test_forgery.it_names_every_changed_file test_forgery.it_names_every_unknown_file",
    "Citations print the digest of the bundle": "test_forgery.it_finds_a_citation_that_prints_another_digest_or_zeros",
    "`verify.py` (Python 3.8, no packages)": "test_forgery.it_names_every_missing_file"
    " test_forgery.it_finds_what_does_not_follow_from_the_record_without_any_digest"
    " test_forgery.it_finds_cells_that_do_not_follow_from_the_record test_bundle.it_recomputes_the_statistics",
    "Bootstrap intervals, claims and the drawing": "test_bundle.it_recomputes_the_statistics",
    "The excerpts are the cited lines": "test_bundle.it_never_holds_whole_files",
    "| 0 |": "test_bundle.it_recomputes_every_value_offline",
    "| 1 |": "test_bundle.it_tells_what_was_touched",
    "| 3 |": "test_bundle.it_recomputes_every_value_offline",
    "| 4 |": "test_bundle.it_recomputes_every_value_offline",
    "`README.txt` leads a reviewer": "test_tables.it_leads_a_reviewer_by_commands_that_run",
    "`redo.py` computes every centre": "test_tables.it_leads_a_reviewer_by_commands_that_run"
    " test_tables.it_finds_a_centre_that_was_changed",
    "`ARTIFACT.md` is the checklist": "test_tables.it_fills_in_the_checklist",
    "A forged bundle can bring": "test_forgery.it_checks_a_dropped_bundle_against_the_frozen_one",
    "With `-I` Python imports": "test_forged_bundles.it_runs_nothing_that_stands_beside_it",
    "The script of a bundle whose `README.txt` names": "test_forged_bundles.it_runs_nothing_that_stands_beside_it"
    " test_forged_bundles.it_runs_code_of_its_own_folder_only_where_the_digest_of_the_bundle_covers_it",
    "Earlier scripts, whose bytes stay": "test_forgery.it_checks_a_bundle_of_the_version_before",
    "`/verify` names what a .zip": "test_forged_bundles.it_calls_no_other_bytes_the_bundle_frozen_here"
    " test_forged_bundles.it_counts_the_work_before_it_does_any test_forged_bundles.it_gives_an_address_one_slot_and_so_much_work",
    "Of a larger bundle": "test_forged_bundles.it_still_knows_the_largest_bundle_that_was_frozen_here",
    "Bundles frozen before manifests": "test_forgery.it_keeps_an_old_bundle_and_lists_it test_forgery.it_finds_a_forged_old_bundle",
    "| `manage.py check_data": "test_history.it_checks_all_by_command",
    "| `manage.py verify-permalinks": "test_bundle.it_checks_all_on_the_server"
    " test_tables.it_says_on_the_server_which_stored_table_does_not_follow",
    "| `script/check-crate": "test_bundle.it_is_linked_data_without_loose_ends",
    "| `script/check-latex`": "webapp/tests/test_latex.py",
    "`/p/ID.json` is JSON in the canonical": "test_record.it_is_canonical_and_named_by_its_digest",
    "Its SHA-256 is the digest": "test_record.it_is_canonical_and_named_by_its_digest",
    "`sha256sum ID.json`.": "test_record.it_is_canonical_and_named_by_its_digest",
    "| `format`, `version`, `kind` |": "test_record.it_says_who_what_when_and_how",
    "| `id`, `address`,": "test_record.it_says_who_what_when_and_how",
    "| `selection`,": "test_record.it_says_who_what_when_and_how",
    "| `method` |": "test_record.it_says_who_what_when_and_how",
    "| `design`,": "test_permalink_page.it_draws_the_record",
    "| `parsers`,": "test_record.it_says_who_what_when_and_how",
    "| `archives`,": "test_licences.test_it_is_in_record_citations_and_export",
    "| `runs`,": "test_record.it_holds_every_repetition_with_its_line_and_rule",
    "| `author` |": "test_author_words.it_prints_what_is_not_shown_and_why",
    "| `values` |": "test_record.it_holds_every_repetition_with_its_line_and_rule",
    "| `unmeasured` |": "test_statistic_names.it_draws_bounded_runs_at_their_bound_open",
    "| `panels`,": "test_record.it_draws_figures_whose_values_are_those_of_the_record",
    "Rules:": "test_bundle.it_finds_how_a_value_follows",
    "`number` (printed number": "test_bundle.it_finds_how_a_value_follows"
    " test_bundle.it_has_a_rule_for_every_value_that_a_parser_reads",
    "`divisor` is what": "test_record.it_keeps_the_division_by_a_number_of_processes_or_disks",
    "Records from version 3 on.": "test_forgery.it_checks_a_bundle_of_the_version_before",
    "Values are in the unit of the figure;": "test_tables.it_has_a_row_for_every_value_and_every_group",
    "| `data.csv`": "test_tables.it_has_a_row_for_every_value_and_every_group",
    "| `groups.csv`": "test_tables.it_has_a_row_for_every_value_and_every_group",
    "| `flags.csv`, `files.csv`": "test_tables.it_has_a_row_for_every_value_and_every_group",
    "| `points.csv`": "test_forgery.it_finds_what_does_not_follow_from_the_record_without_any_digest",
    "| `data.xlsx`": "test_tables.it_is_a_workbook_with_numbers_and_units_in_heads",
    "| `table.tex`": "webapp/formats/tests/test_latex_table.py webapp/tests/test_latex.py",
    "| `table-plain.tex`": "webapp/formats/tests/test_latex_table.py",
    "Triggers in the database": "test_record.it_is_defended_by_the_database_itself",
    "**Files** are made once": "test_rendering.test_the_worker_makes_all_of_them_once",
    "SVG and PDF at 85": "test_rendering.it_gives_every_form",
    "Citations at `/p/ID.bib`": "test_citation.it_shows_the_doi_of_the_owner_and_keeps_the_frozen_files",
    "`/p/ID/embed` is a page": "webapp/tests/browser/test_permalink_export.py",
}
"""The beginning of a sentence or row -> the tests that try it, `module.function` here or the path of a module."""


def sentences(text: str) -> list[str]:
    """Sentences of paragraphs and items, and rows of tables, without the heads of these."""
    found: list[str] = []
    blocks = re.split(r"\n(?=\n|- |\||    )", re.sub(r"^#.*$", "\n", text, flags=re.M))
    for block in blocks:
        line = " ".join(block.split())
        if not line or block.strip("\n").startswith(("    ", *TABLE_HEADS)) or re.fullmatch(r"\|[-|]+\|", line):
            continue
        if line.startswith("|"):
            found.append(line)
        else:
            found += re.split(r"(?<=[.:;])\s+(?=[A-Z`*0-9])", line.removeprefix("- "))
    return found


SENTENCES = sentences(DOCUMENT.read_text(encoding="utf-8"))


@cache
def functions(path: str) -> frozenset[str]:
    """The tests of a module."""
    tree = ast.parse((TOP / path).read_text(encoding="utf-8"))
    names = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return frozenset(name for name in names if name.startswith(("it_", "test_")))


def it_has_a_test_for_every_sentence():
    """Else name the test that tries it above."""
    assert [sentence for sentence in SENTENCES if not sentence.startswith(tuple(PROMISES))] == []


def it_names_sentences_and_tests_that_there_are():
    assert [start for start in PROMISES if not any(sentence.startswith(start) for sentence in SENTENCES)] == []
    named = {name for names in PROMISES.values() for name in names.split()}
    assert [name for name in named if not _is_there(name)] == []


def _is_there(name: str) -> bool:
    if name.endswith(".py"):
        return bool(functions(name))
    module, function = name.split(".")
    return function in functions(f"{HERE}{module}.py")


@pytest.mark.django_db
def it_counts_files_until_all_are_made(client):
    from webapp.permalinks.bundles import permalink_bundle
    from webapp.tests import frozen

    link = frozen.frozen()
    page = client.get(f"/p/{link.pk}").content.decode()
    assert "<progress" in page and "files are drawn. The digest follows" in page
    permalink_bundle.get_bundle(frozen.with_plain_pictures(link))
    page = client.get(f"/p/{link.pk}").content.decode()
    assert "<progress" not in page and page.count("<dt>SHA-256 of the") == 2
