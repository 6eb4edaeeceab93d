"""The closed list of warnings: what happened, what it may mean, what to do."""

from __future__ import annotations

CODES: dict[str, tuple[str, str, str]] = {
    "too-fast": (
        "The tool printed that this part ended too fast to be measured.",
        "The data set is too small for this machine.",
        "Repeat with a larger data set; there is no value to record.",
    ),
    "unmeasured": (
        "The tool printed a placeholder instead of a measurement.",
        "The phase was not run or took less than the clock can tell.",
        "Nothing, or repeat with more work per phase.",
    ),
    "zero-time": (
        "The tool printed a time of zero.",
        "The phase was shorter than the tool's clock.",
        "Repeat with more work; the value is left out of ratios and log axes.",
    ),
    "short-row": ("A row has fewer fields than its format.", "The file was cut or edited.", "Compare with the original output."),
    "long-row": (
        "A row has more fields than its format.",
        "Another version of the tool, or two lines joined.",
        "Compare with the original output.",
    ),
    "bad-number": ("A field that should hold a number does not.", "The file was cut or edited.", "Look at the line."),
    "no-header": (
        "Rows stand without the header that names their columns.",
        "The output was cut.",
        "Add the header, or use a results table.",
    ),
    "cut": (
        "The output ends in the middle of a table or block.",
        "The run was interrupted or the file was cut.",
        "Repeat the run, or upload the whole log.",
    ),
    "failed-run": ("The tool reported an error.", "The run did not finish.", "Read the error on the line; repeat the run."),
    "disagree": (
        "Two places of the upload tell different values for the same thing; the message says which was taken.",
        "A label, file name, README or statement does not fit what a tool shows: one of them is wrong, or the configuration changed "
        "in between. Or an aggregate was edited.",
        "Look at both lines; if the wrong one was taken, state the right value.",
    ),
    "conflict": (
        "Evidence of the same scope contradicts itself.",
        "The configuration changed, or a file was copied from elsewhere.",
        "State the right value for the archive, folder or file.",
    ),
    "numbered-labels": (
        "The labels of this log apply to numbered outputs beside it, the first to the first.",
        "Their counts are equal, or a script of the upload writes both in one step.",
        "Nothing; if it is wrong, state the right values for these files.",
    ),
    "numbered-outputs": (
        "Numbered outputs may belong to the labels of this log, the first to the first.",
        "A step of the sweep failed, or several logs fit.",
        "Say so in the archive's review, or put the sweep's script beside them.",
    ),
    "other-host": (
        "A file tells about the system of one host, and results beside it name another one.",
        "Files of several hosts stand together, or the name in a result is only a label.",
        "Say in the archive's review, or in a manifest, which host the file is of.",
    ),
    "implausible": (
        "A value lies outside what is physically plausible.",
        "A unit was misread or a digit is lost.",
        "Look at the line.",
    ),
    "unknown-version": (
        "A format version that this parser does not know.",
        "A newer or patched tool.",
        "The known fields were read; please report the sample.",
    ),
    "unknown-unit": ("A unit that this parser does not know.", "A locale or version not seen before.", "Please report the sample."),
    "no-command": (
        "The output does not tell which command or direction was measured.",
        "The command line was not saved.",
        "State it, or save the command beside the output.",
    ),
    "ambiguous": (
        "A value can be read in more than one way.",
        "Decimal comma or thousands separator, for one.",
        "Look at the line.",
    ),
    "two-claims": ("Two parsers claim the same line.", "One output stands inside another.", "Please report the sample."),
    "unread": (
        "A line looks like a result and was not taken.",
        "A form of output that is not known yet.",
        "Please report the sample.",
    ),
    "parser-failed": ("A parser stopped with an error.", "A fault in Poolmark; the bytes are kept.", "Please report the sample."),
    "encoding": ("Bytes were not valid in the file's encoding.", "Damage, or mixed encodings.", "Look at the line."),
    "skipped-entry": (
        "An entry of the archive was not unpacked.",
        "A link, device, encrypted file or platform twin file.",
        "Nothing, or upload the file itself.",
    ),
    "renamed-entry": (
        "An entry of the archive is shown under a path that is not its name.",
        "The name climbs, is absolute, too long or no text, or another entry has it too.",
        "Nothing; the file was read.",
    ),
    "limit": ("A limit stopped the reading.", "The archive is very large or hostile.", "Split the archive."),
    "broken-archive": (
        "The container is damaged.",
        "The upload was cut or a disk error.",
        "Pack and upload again; what could be read was read.",
    ),
    "estimated": (
        "The value is exact only within the limits that the message tells.",
        "The tool prints rounded figures.",
        "Nothing.",
    ),
    "unlike-titles": (
        "Values that count as repetitions of one configuration stand below different titles.",
        "The titles tell setups apart that no key of a configuration names.",
        "State what differs in the archive's review, for those runs.",
    ),
    "by-hand": (
        "A table of rates that no tool printed.",
        "Somebody typed results, or copied them out of a report.",
        "Enter them as a results table: see docs/results-table.md.",
    ),
    "stated-doubt": (
        "Whoever wrote the results table doubts this value and says why.",
        "A misprint, a scan that lost something, or a source that contradicts itself.",
        "Look at the source; the value was taken as it is written.",
    ),
    "invalid-mode": (
        "The tool printed that its figures are invalid in the mode in which it ran.",
        "It checked or traced its work while the clock ran; the figures are lower than the file system's.",
        "Repeat without that option; the values were taken as they are printed, and never stand beside others.",
    ),
    "bad-manifest": ("A key of the manifest or results table is not understood.", "A typing error.", "See docs/results-table.md."),
    "mislabelled-unit": (
        "The tool prints one unit and means another.",
        "Known fault of that version.",
        "Nothing; the meant unit was taken.",
    ),
    "progress": (
        "A line of progress was passed over.",
        "The tool printed it before it had finished.",
        "Nothing; its result was read.",
    ),
    "wrapped": (
        "A 16-bit cell may have wrapped around.",
        "The spreadsheet format holds only 65,535.",
        "Trust the text output of the same run.",
    ),
}

UNMEASURED_REASONS: dict[str, tuple[str, str]] = {
    "too_fast": (
        "The tool prints a mark, since the measurement took too short a time.",
        "bonnie++'s +++++ below 0.5 s: amount / 0.5 s",
    ),
    "zero_time": (
        "The tool printed 0, or an infinity, for what its clock or its digits cannot show.",
        "fdtree's rate of 0 within one second: amount / 1 s; a last digit of 0.01: 0.01",
    ),
    "failed": ("The tool reported an error, or a phase that is invalid.", "none"),
    "not_finished": (
        "The run was killed, interrupted or cut before its result.",
        "a time so far: the whole would have been longer",
    ),
}
"""Why a value could not be measured -> what happened, and examples of bounds."""
