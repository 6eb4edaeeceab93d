"""The closed list of warnings: what happened, what it may mean, what to do. docs/messages.md prints it."""

from __future__ import annotations

CLOCK_SET = "clock-set"
CODES: dict[str, tuple[str, str, str]] = {
    "too-fast": (
        "The tool says that this part ended too quickly to be measured.",
        "The data set is too small for this machine.",
        "Repeat with a larger data set. There is no value to record.",
    ),
    "unmeasured": (
        "The tool printed a placeholder instead of a measurement.",
        "The phase was not run, or took less time than the clock can measure.",
        "Nothing, or repeat with more work in each phase.",
    ),
    "zero-time": (
        "The tool printed a time of zero.",
        "The phase was shorter than the tool's clock.",
        "Repeat with more work. The value is left out of ratios and logarithmic axes.",
    ),
    "short-row": (
        "A row has fewer fields than its format.",
        "The file was truncated or edited.",
        "Compare with the original output.",
    ),
    "long-row": (
        "A row has more fields than its format.",
        "Another version of the tool, or two lines were joined.",
        "Compare with the original output.",
    ),
    "bad-number": ("A field that should hold a number does not.", "The file was truncated or edited.", "Check the line."),
    "no-header": (
        "The header that names the columns of these rows is missing.",
        "The output was truncated.",
        "Upload the output with its header, or enter the values in a results table.",
    ),
    "cut": (
        "The output ends in the middle of a table or block, or lines of it were left out.",
        "The run was interrupted, or the file was truncated.",
        "Upload the complete log, or repeat the run.",
    ),
    "failed-run": ("The tool reported an error.", "The run did not finish.", "Read the error on the line, then repeat the run."),
    "disagree": (
        "Two places in the upload give different values for the same thing. The message says which was used.",
        "A label, file name, README or value entered by hand contradicts what a tool printed: one of them is wrong, or the "
        "configuration changed in between. Or a printed average was edited.",
        "Compare the two lines. If the wrong one was used, enter the right value in the archive's review.",
    ),
    "conflict": (
        "Two places that apply to the same runs contradict each other.",
        "The configuration changed, or a file was copied from elsewhere.",
        "Enter the right value for the archive, folder or file in the review.",
    ),
    "numbered-labels": (
        "The labels of this log were matched with the numbered outputs beside it, in order.",
        "There are as many labels as outputs, or a script in the upload writes both in one step.",
        "Nothing. If it is wrong, enter the right values for these files in the review.",
    ),
    "numbered-outputs": (
        "The numbered outputs may belong to the labels of this log, in order.",
        "A step of the sweep failed, or more than one log fits.",
        "Confirm the match in the archive's review, or add the script of the sweep to the upload.",
    ),
    "which-command": (
        "Several commands of the scripts in the upload may have made this output, with unlike options.",
        "Two versions of a script, a script that was edited between runs, or commands that name no file for what they print.",
        "Enter the options of these files in the archive's review, or leave only the script that made them in the upload.",
    ),
    "level-or-repetition": (
        "Numbers behind a compression in names may be its levels, or count repetitions.",
        "The numbers follow each other from 1, and nothing in the upload shows a level or which names are repetitions.",
        "Answer the question in the archive's review. Until then the level is unknown, and nothing is claimed about these runs.",
    ),
    "other-host": (
        "A file describes one host, and the results beside it name another.",
        "Files from several hosts are in one folder, or the name in a result is only a label.",
        "Enter in the archive's review, or in a manifest, which host the file is from.",
    ),
    "implausible": (
        "A value lies outside what is physically plausible.",
        "A unit was misread, or a digit is missing.",
        "Check the line.",
    ),
    "unknown-version": (
        "The parser does not know this version of the format.",
        "The tool is newer than the parser, or patched.",
        "The known fields were read. Please report the sample.",
    ),
    "unknown-unit": (
        "The parser does not know this unit.",
        "A locale or version that has not been seen before.",
        "Please report the sample.",
    ),
    "no-command": (
        "The output does not show which command or direction was measured.",
        "The command line was not saved.",
        "Enter it in the archive's review, or save the command with the output next time.",
    ),
    "ambiguous": (
        "A value can be read in more than one way.",
        "For example, a comma that may be a decimal point or a thousands separator.",
        "Check the line.",
    ),
    "since-boot": (
        "A tool that prints a report at every interval began with its average since the machine was started.",
        "The first report of iostat, vmstat and zpool iostat is such an average, unless -y was given.",
        "Nothing: it is no point of the curve. To have the first interval as well, run the tool with -y where it has it.",
    ),
    "no-clock": (
        "A tool printed numbers over time, and no time.",
        "The output shows neither times nor the command with its interval.",
        "Run the tool with its option for times (-t, -T d), or save the command with the output. The points were kept in order.",
    ),
    CLOCK_SET: (
        "The clock of a log or transcript goes back, or was set.",
        "The machine's clock was set, or summer time ended.",
        "Nothing: a new series begins there, and times of runs after it separate no sessions.",
    ),
    "unlike-targets": (
        "Runs that nothing else distinguishes read or wrote on different devices or mount points.",
        "Two disks, or two file systems, were measured with one command. Comparisons draw one of them and leave the others out.",
        "Enter what differs (disk, file system) for these runs in the archive's review.",
    ),
    "two-claims": ("Two parsers read the same line as their own.", "One output is inside another.", "Please report the sample."),
    "unread": (
        "A line looks like a result but was not recorded.",
        "A form of output that is not supported yet.",
        "Please report the sample.",
    ),
    "parser-failed": (
        "A parser stopped with an error.",
        "A bug in Poolmark. The file is kept as uploaded.",
        "Please report the sample.",
    ),
    "encoding": ("Some bytes are not valid in the file's encoding.", "The file is damaged, or mixes encodings.", "Check the line."),
    "skipped-entry": (
        "An entry of the archive was not unpacked.",
        "It is a link, a device, or a metadata file of the operating system (`._NAME` of macOS).",
        "Nothing, or upload the file by itself.",
    ),
    "renamed-entry": (
        "A file of the archive is shown under another path than its own.",
        "Its path contains `..`, is absolute, too long or not text, or another file has the same one.",
        "Nothing. The file was read.",
    ),
    "limit": (
        "A limit was reached, and the rest was not read.",
        "The archive is very large, or made to be (a zip bomb).",
        "Split the archive, or ask the operator of this site for a higher limit.",
    ),
    "broken-archive": (
        "The archive or compressed file is truncated or damaged. The message says where, and how much could be read.",
        "The copy was interrupted, or the disk has an error.",
        "Upload a complete copy to get the rest.",
    ),
    "encrypted": (
        "Files of a zip archive are protected by a password.",
        "It was packed with a password.",
        "Pack the files without a password and upload the archive again.",
    ),
    "not-unpacked": (
        "An archive in a format that is not unpacked.",
        "Folders, tar, zip, gzip, bzip2, xz and Zstandard are unpacked; 7z and RAR are not.",
        "Pack the files as tar.gz or zip and upload that.",
    ),
    "empty-file": ("A file is empty.", "The run failed, or wrote its output elsewhere.", "Check the run, and upload its output."),
    "picture": (
        "A picture: numbers in pictures are not read.",
        "A chart or a screenshot was uploaded without the output behind it.",
        "Upload the text that the benchmark printed.",
    ),
    "document": (
        "A document: numbers in PDF and office documents are not read.",
        "A report was uploaded without the output behind it.",
        "Upload the benchmark's own output, or enter the figures as a results table (docs/manifest.md).",
    ),
    "binary-file": (
        "A binary file: nothing in it is read.",
        "A program, a database, or a format that is unknown here.",
        "Upload the text that the benchmark printed.",
    ),
    "only-scripts": (
        "Scripts, and no output of a run.",
        "The scripts that ran the benchmark were uploaded without what they printed.",
        "Upload what they printed as well.",
    ),
    "not-read-yet": (
        "The output of a known tool that is not read yet.",
        "No parser reads this tool, or this form of its output.",
        "The bytes are kept; to compare its figures now, enter them as a results table (docs/manifest.md).",
    ),
    "estimated": ("The value is exact only within the limits in the message.", "The tool prints rounded figures.", "Nothing."),
    "unlike-titles": (
        "Values that count as repetitions of one configuration are under different headings.",
        "The headings name a difference in the setup that was not recorded.",
        "Enter what differs for those runs in the archive's review.",
    ),
    "by-hand": (
        "A table, a list or a sentence with rates or times that no known tool printed.",
        "Someone typed the results, or a script around a tool summed them up.",
        "Say what the columns are, beside the warning on the archive's page, or enter a results table (docs/manifest.md).",
    ),
    "quoted": (
        "Results that the text quotes or shows as an example.",
        "They stand in a manual, a program, a test, a plot, a signature, or below words as “you should see”; or a reply quotes them.",
        "Nothing. If they are results of these runs, take them: the button is beside the warning.",
    ),
    "stated-doubt": (
        "The author of the results table doubts this value. The message says why.",
        "A misprint, a bad scan, or a source that contradicts itself.",
        "Check the source. The value was recorded as written.",
    ),
    "invalid-mode": (
        "The tool says that its results are invalid in the mode in which it ran.",
        "It verified or traced its work while the clock ran, so the results are lower than those of the file system.",
        "Repeat without that option. The values were recorded as printed, and are never compared with others.",
    ),
    "bad-manifest": (
        "A key or value of the manifest or results table is not valid.",
        "A typing error, or a key of another version.",
        "Correct it; see docs/manifest.md.",
    ),
    "mislabelled-unit": (
        "The tool prints one unit but means another.",
        "A known bug of that version.",
        "Nothing. The unit that the tool means was used.",
    ),
    "progress": (
        "A line of progress was skipped.",
        "The tool printed it before it had finished.",
        "Nothing. The final result was read.",
    ),
    "wrapped": (
        "A value may have overflowed its 16-bit cell.",
        "The spreadsheet format holds numbers up to 65,535.",
        "Use the text output of the same run.",
    ),
}

BY_HAND = "entered by hand"
"""The place of a value that a person entered."""

BAD_INPUT = (
    "broken-archive", "encrypted", "not-unpacked", "empty-file", "picture", "document", "binary-file", "only-scripts",
    "not-read-yet", "limit",
)  # fmt: skip
"""Codes of warnings that say what is wrong with a file as a whole, and what to do: shown first, and by the command line too."""

UNMEASURED_REASONS: dict[str, tuple[str, str]] = {
    "too_fast": (
        "The tool prints a mark instead, because the measurement took too little time.",
        "bonnie++'s +++++ below 0.5 s: amount / 0.5 s",
    ),
    "zero_time": (
        "The tool printed 0 or infinity, because the true value is below its clock or its last digit.",
        "fdtree's rate of 0 within one second: amount / 1 s; a last digit of 0.01: 0.01",
    ),
    "failed": ("The tool reported an error, or an invalid phase.", "none"),
    "not_finished": (
        "The run was killed, interrupted or cut off before its result.",
        "the time so far: the full run would have taken longer",
    ),
}
"""Why a value could not be measured -> what happened, and examples of bounds."""
