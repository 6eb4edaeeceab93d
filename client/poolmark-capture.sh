#!/bin/sh
# poolmark-capture.sh: records what a storage benchmark ran on, and its output, as one archive for Poolmark.
#
# POSIX sh alone, on Linux, FreeBSD, illumos and macOS; as root or not. It writes in its own folder only, deletes nothing that
# it did not make, sends nothing anywhere. `sh poolmark-capture.sh --help` says how.

version=2
LC_ALL=C
export LC_ALL
umask 077
PATH=$PATH:/usr/sbin:/sbin:/usr/local/sbin:/usr/local/bin:/opt/local/bin:/opt/homebrew/bin
export PATH

usage() {
    cat <<'END'
usage: sh poolmark-capture.sh [OPTIONS] [--run 'COMMAND']... [-- COMMAND [ARGUMENT]...]
       sh poolmark-capture.sh --resume FOLDER | --pack FOLDER

Without a command it records the machine alone.

what to run
  -n N, --rounds N     how often each setting is measured in a session (1)
  --run 'COMMAND'      a benchmark, as a line for sh; several run one after another. `-- COMMAND ...` adds one more.
                       A file that it writes into "$POOLMARK_RUN" goes into the archive.
  --set 'COMMAND'      a setting to compare, as a line for sh; repeat it for each
  --as NAME            the name of the setting before it: letters, digits, . _ -
  --seed N             of the order of settings: each round has all, in a random order (by the seed, which is recorded)
                       that each second round turns around
  --no-blocks          each setting wholly before the next one: what drifts in between looks like a difference
  --before 'COMMAND'   runs before each benchmark, such as: zpool export tank && zpool import tank
  --show 'COMMAND'     runs after each setting; its output is kept beside the results
  --no-drop            do not empty the caches before each benchmark
sessions
  --sessions N         sittings (1); three carry a claim about the machine
  --pause TIME         between the end of one and the start of the next: 61m, 2h, 90s (61m)
  --reboot-between     a session ends the command: reboot, then --resume
  --resume FOLDER      go on where a capture stopped
  --pack FOLDER        make the archive of what a capture has so far, with --mask masked
record
  --beside SECONDS     sample iostat, vmstat, zpool iostat and arcstat while benchmarks run
  --evidence 'COMMAND' record this output too; repeat it for each
  --no-evidence        record nothing else of the machine
archive
  --out FOLDER         where to work (poolmark-DATE); the archive is FOLDER.tar.gz
  --host NAME          call this machine so, everywhere in the archive
  --mask               replace hosts, users, addresses, serial numbers, WWNs and UUIDs by pseudonyms that stay the same;
                       the list of them stays in FOLDER
  --hide WORD          with --mask: this word too; repeat it for each
  --title TEXT, --author NAME, --licence NAME   for the archive's page
  --help, --version
END
}

say() { printf '%s\n' "poolmark-capture: $*" >&2; }
fail() {
    say "$*"
    exit 1
}
misused() {
    say "$*"
    say "see: sh poolmark-capture.sh --help"
    exit 2
}
has() { command -v "$1" >/dev/null 2>&1; }
digest() { # SHA-256 of standard input; nothing where no program has it
    if has sha256sum; then
        sha256sum
    elif has sha256; then
        sha256 -q
    elif has shasum; then
        shasum -a 256
    elif [ "$(uname -s)" = SunOS ]; then
        digest_program=$(find_program digest)
        "$digest_program" -a sha256
    elif has openssl; then
        openssl dgst -sha256 -r
    fi | cut -c 1-64
}

# --- words of the shell ---------------------------------------------------------------------------------------------------

quote() { # TEXT: as one word that sh reads back
    case $1 in
    '' | *[!A-Za-z0-9_./:=,@%+-]*) printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
    esac
}
toml() { # TEXT: as a string of TOML
    printf '"%s"' "$(printf '%s' "$1" | tr '\n\t' '  ' | tr -d '\001-\010\013-\037\177' | sed 's/\\/\\\\/g; s/"/\\"/g')"
}
is_number() {
    case $1 in '' | *[!0-9]* | ??????????*) return 1 ;; esac
}
is_name() {
    case $1 in '' | [.-]* | *[!A-Za-z0-9._-]*) return 1 ;; esac
}
value_of() { eval "printf '%s' \"\${$1-}\""; } # NAME of a variable

# --- time -----------------------------------------------------------------------------------------------------------------

seconds_of() { # YEAR DAY-OF-YEAR HOUR MINUTE SECOND: seconds since 1970, in 32 bits; no date has %s everywhere
    set -- "$1" "${2#0}" "${3#0}" "${4#0}" "${5#0}"
    set -- "$1" "${2#0}" "$3" "$4" "$5"
    echo $((((($1 - 1970) * 365 + ($1 - 1969) / 4 + $2 - 1) * 24 + $3) * 3600 + $4 * 60 + $5))
}
find_program() { # NAME: its path, also where the shell has a command of that name itself
    old_ifs=$IFS
    IFS=:
    for program_folder in $PATH; do
        if [ -f "$program_folder/$1" ] && [ -x "$program_folder/$1" ]; then
            IFS=$old_ifs
            printf '%s\n' "$program_folder/$1"
            return 0
        fi
    done
    IFS=$old_ifs
    printf '%s\n' "$1"
}
date_program=$(find_program date)
sleep_program=$(find_program sleep)
broken() { # WHAT: end, since without it the capture would wait for ever, or have wrong times
    [ ! -f "$out/plan" ] || say "when that is mended, it goes on with: --resume $(quote "$out")"
    fail "$1"
}
clock() { # sets now (seconds since 1970), stamp (ISO 8601 in UTC)
    clock_words=$("$date_program" -u '+%Y %j %H %M %S %Y-%m-%dT%H:%M:%S') || broken "$date_program failed"
    # shellcheck disable=SC2086 # six words
    set -- $clock_words
    if [ $# != 6 ] || ! is_number "$1$2" || ! is_number "$3$4$5" || [ "$1" -lt 2000 ]; then
        broken "$date_program printed no time of these days: $clock_words"
    fi
    now=$(seconds_of "$1" "$2" "$3" "$4" "$5")
    stamp=${6}Z
}
seconds_in() { # TIME such as 61m: in seconds
    case $1 in
    *h) is_number "${1%h}" && echo $((${1%h} * 3600)) ;;
    *m) is_number "${1%m}" && echo $((${1%m} * 60)) ;;
    *s) is_number "${1%s}" && echo "${1%s}" ;;
    *) is_number "$1" && echo "$1" ;;
    esac
}
boot_number() { # of this boot, among those of the capture
    boot_id=$(boot)
    grep -q -x -F -e "$boot_id" "$out/boots" 2>/dev/null || printf '%s\n' "$boot_id" >>"$out/boots"
    grep -n -x -F -e "$boot_id" "$out/boots" | sed -n '1s/:.*//p'
}
boot() { # what changes with a reboot, and with nothing else
    if [ -r /proc/sys/kernel/random/boot_id ]; then
        cat /proc/sys/kernel/random/boot_id
    elif [ "$(uname -s)" = SunOS ]; then
        kstat -p unix:0:system_misc:boot_time 2>/dev/null | awk '{ print $2 }'
    else
        sysctl -n kern.boottime 2>/dev/null | sed 's/[^0-9]*\([0-9]*\).*/\1/'
    fi
}

# --- the plan, kept in FOLDER/plan so that a capture can go on -----------------------------------------------------------

plan_words="rounds blocks seed sessions pause reboot_between drop beside before host masked title author licence evidence_wanted
settings commands shows evidences hides"

save_plan() {
    {
        echo "# The plan of this capture, for --resume: words of sh."
        echo "plan_version=$version"
        for word in $plan_words; do
            printf '%s=%s\n' "$word" "$(quote "$(value_of "$word")")"
        done
        for list in setting command show evidence hide; do
            number=1
            while [ "$number" -le "$(value_of "${list}s")" ]; do
                printf '%s_%s=%s\n' "$list" "$number" "$(quote "$(value_of "${list}_$number")")"
                [ "$list" != setting ] || printf 'name_%s=%s\n' "$number" "$(value_of "name_$number")"
                number=$((number + 1))
            done
        done
    } >"$out/plan.part" && mv "$out/plan.part" "$out/plan"
}
name_settings() { # those without a name: by the value that they set, else by their number
    naming=1
    while [ "$naming" -le "$settings" ]; do
        name=$(value_of "name_$naming")
        if [ -z "$name" ]; then
            name=$(value_of "setting_$naming" | tr ' ' '\n' | sed -n 's/.*=\([A-Za-z0-9][A-Za-z0-9._-]*\)$/\1/p' | head -n 1)
            [ -n "$name" ] || name=setting-$naming
        fi
        earlier=1
        while [ "$earlier" -lt "$naming" ]; do
            if [ "$(value_of "name_$earlier")" = "$name" ]; then
                name=$name-$naming
                earlier=0
            fi
            earlier=$((earlier + 1))
        done
        eval "name_$naming=\$name"
        naming=$((naming + 1))
    done
}
append() { # LIST TEXT: one more element of a list of the plan
    list_length=$(($(value_of "${1}s") + 1))
    eval "${1}s=\$list_length ${1}_$list_length=\$2"
}

# Park and Miller's generator by Schrage's method: the same order in every shell, also in one of 32 bits.
random_state=1
seed_random() { random_state=$((($1 + 40014 * $2 + 69 * $3) % 2147483646 + 1)); }
next_random() { # LIMIT: sets random to 0 .. LIMIT - 1
    random_state=$((16807 * (random_state % 127773) - 2836 * (random_state / 127773)))
    [ "$random_state" -gt 0 ] || random_state=$((random_state + 2147483647))
    random=$((random_state / 8 % $1))
}
order_of() { # SESSION ROUND: sets order to the numbers of the settings as they run; each second round is turned around,
    # and each second session begins with such a one, so that no setting goes first more often
    order=
    order_left=
    order_count=0
    while [ "$order_count" -lt "$settings" ]; do
        order_count=$((order_count + 1))
        order_left="$order_left $order_count"
    done
    if [ "$blocks" = no ]; then
        order=$order_left
        return
    fi
    seed_random "$seed" 1 1
    next_random 2
    while [ "$order_count" -gt 0 ]; do
        next_random "$order_count"
        order_rest=
        order_at=0
        for order_one in $order_left; do
            if [ "$order_at" != "$random" ]; then
                order_rest="$order_rest $order_one"
            elif [ $((($1 + $2) % 2)) = 0 ]; then
                order="$order $order_one"
            else
                order=" $order_one$order"
            fi
            order_at=$((order_at + 1))
        done
        order_left=$order_rest
        order_count=$((order_count - 1))
    done
}

# --- running --------------------------------------------------------------------------------------------------------------

run_shown() { # FILE COMMAND: append the command behind a prompt and its output; sets status
    printf '$ %s\n' "$2" >>"$1"
    # The process notes its id, so that a capture that is resumed waits for what a killed one left running.
    # shellcheck disable=SC2016 # for the inner shell
    sh -c 'echo $$ >"$1"; exec sh -c "$2"' sh "$out/running" "$2" </dev/null >>"$1" 2>&1
    status=$?
    rm -f "$out/running"
    end_line "$1"
}
end_line() { # FILE: end its last line if nothing did
    [ ! -s "$1" ] || [ -z "$(tail -c 1 "$1")" ] || echo >>"$1"
}
lines_in() { awk 'END { print NR }' "$1"; }
is_root() { [ "$(id -u)" = 0 ]; }

empty_caches() { # FILE: empty what caches may be emptied, behind a prompt; else record that nothing was
    if [ -n "$before" ]; then
        run_shown "$1" "$before"
        [ "$status" = 0 ] || fail "--before ended with exit status $status: $before; its output is in $1. Mend it, then: --resume $out"
    fi
    [ "$drop" = yes ] || return 0
    case $(uname -s) in
    Linux)
        if is_root && [ -w /proc/sys/vm/drop_caches ]; then
            run_shown "$1" 'sync; echo 3 > /proc/sys/vm/drop_caches'
            caches=dropped
            [ "$status" = 0 ] || caches="not dropped: drop_caches was refused"
        else
            caches="not dropped: that needs root"
        fi
        ;;
    Darwin)
        if is_root; then
            run_shown "$1" 'sync; purge'
            caches=dropped
        else
            caches="not dropped: that needs root"
        fi
        ;;
    *) caches="not dropped: this system has no command for it; use --before to remount, or to export and import the pool" ;;
    esac
}

sample() { # FILE COMMAND ARGUMENT...: until the capture stops it or is gone
    sample_file=$1
    shift
    "$@" >"$sample_file" 2>&1 </dev/null &
    echo $! >>"$out/samplers"
    (
        sampled=$!
        while kill -0 $$ 2>/dev/null && kill -0 "$sampled" 2>/dev/null; do sleep 1 || break; done
        kill "$sampled" 2>/dev/null
    ) </dev/null >/dev/null 2>&1 &
}
# shellcheck disable=SC2317,SC2329 # called by sample
stamped() { # COMMAND ARGUMENT...: each line of its output behind the time
    "$@" | while IFS= read -r sampled_line; do
        clock
        printf '%s %s\n' "$stamp" "$sampled_line"
    done
}
start_samplers() { # FOLDER
    [ "$beside" -gt 0 ] || return 0
    : >"$out/samplers"
    case $(uname -s) in
    Linux)
        has iostat && sample "$1/iostat.txt" env S_TIME_FORMAT=ISO iostat -x -t -z "$beside"
        has vmstat && sample "$1/vmstat.txt" vmstat -n -t "$beside"
        ;;
    SunOS)
        has iostat && sample "$1/iostat.txt" iostat -T d -xn "$beside"
        has vmstat && sample "$1/vmstat.txt" vmstat -T d "$beside"
        ;;
    *)
        has iostat && sample "$1/iostat.txt" stamped iostat -w "$beside"
        has vmstat && sample "$1/vmstat.txt" stamped vmstat -w "$beside"
        ;;
    esac
    if has zpool && zpool list -H >/dev/null 2>&1; then
        sample "$1/zpool-iostat.txt" zpool iostat -T d -v "$beside"
        has arcstat && sample "$1/arcstat.txt" arcstat "$beside"
    fi
    return 0
}
stop_samplers() {
    [ -s "$out/samplers" ] || return 0
    while read -r sampler; do kill "$sampler" 2>/dev/null; done <"$out/samplers"
    rm -f "$out/samplers"
}

visit() { # SESSION ROUND POSITION SETTING: one setting once, unless it is there already
    visit_name=$(value_of "name_$4")
    visit_folder=session-$1/round-$2/$3-setting-$4 # not its name: that would be read as evidence of what ran there
    [ ! -d "$out/data/$visit_folder" ] || return 0
    say "session $1 of $sessions, round $2 of $rounds: $visit_name"
    rm -rf "$out/work"
    mkdir "$out/work" || fail "cannot write to $out"
    printf '%s\n' "$visit_folder" >"$out/work/.visit"
    waited=0
    clock
    while [ "$stamp" = "$last_stamp" ]; do # no two runs start in the same second: their order is known by their times
        waited=$((waited + 1))
        [ "$waited" -le 5 ] || broken "the clock stands still at $stamp"
        "$sleep_program" 1 || broken "$sleep_program failed"
        clock
    done
    transcript=$out/work/transcript.txt
    : >"$transcript"
    setting=$(value_of "setting_$4")
    if [ -n "$setting" ]; then
        run_shown "$transcript" "$setting"
        [ "$status" = 0 ] || fail "the setting ended with exit status $status: $setting; its output is in $transcript. Mend it, then: --resume $out"
    fi
    visit_number=1
    while [ "$visit_number" -le "$shows" ]; do
        run_shown "$transcript" "$(value_of "show_$visit_number")"
        visit_number=$((visit_number + 1))
    done
    POOLMARK_RUN=$out/work
    export POOLMARK_RUN
    start_samplers "$out/work"
    visit_number=1
    while [ "$visit_number" -le "$commands" ]; do
        measure "$1" "$2" "$visit_name" "$(value_of "command_$visit_number")"
        visit_number=$((visit_number + 1))
    done
    record_state
    stop_samplers
    close_visit "$visit_folder"
}
measure() { # SESSION ROUND NAME COMMAND: one benchmark, its times and exit status
    caches="not dropped: --no-drop"
    record_state
    empty_caches "$transcript"
    record_counters
    measured_line=$(($(lines_in "$transcript") + 1))
    clock
    started=$now
    {
        printf 'line = %s\nsession = %s\nround = %s\nsetting = %s\n' "$measured_line" "$1" "$2" "$(toml "$3")"
        printf 'command = %s\nstarted_at = %s\ncaches = %s\nboot = %s\n' "$(toml "$4")" "$stamp" "$(toml "$caches")" "$(boot_number)"
    } >"$out/work/.begun.part" || fail "cannot write to $out"
    mv "$out/work/.begun.part" "$out/work/.begun"
    run_shown "$transcript" "$4"
    measured_status=$status
    clock
    last_stamp=$stamp
    record_counters
    {
        [ ! -f "$out/work/.run" ] || cat "$out/work/.run"
        cat "$out/work/.begun"
        printf 'ended_at = %s\nseconds = %s\nstatus = %s\n\n' "$stamp" $((now - started)) "$measured_status"
    } >"$out/work/.run.part" || fail "cannot write to $out"
    rm "$out/work/.begun"
    mv "$out/work/.run.part" "$out/work/.run"
    [ "$measured_status" = 0 ] || say "exit status $measured_status: $4"
}
record_counters() { # what the disks have moved so far: once right before and once right after a benchmark
    [ "$evidence_wanted" = yes ] || return 0
    case $(uname -s) in
    Linux)
        if [ -r /proc/diskstats ]; then
            run_shown "$transcript" 'grep -v -E " (loop|ram)[0-9]+ " /proc/diskstats'
        elif has iostat; then
            run_shown "$transcript" 'iostat -d -k'
        fi
        ;;
    FreeBSD | DragonFly) ! has iostat || run_shown "$transcript" 'iostat -x -I' ;;
    SunOS) ! has iostat || run_shown "$transcript" 'iostat -x -n -I' ;;
    Darwin) ! has iostat || run_shown "$transcript" 'iostat -d -I' ;;
    esac
}
record_state() { # what may slow a benchmark down, or speed it up, that is no configuration: before each, and after the last
    [ "$evidence_wanted" = yes ] || return 0
    recorded=$transcript
    record uptime
    record 'df -k'
    if has zpool && [ -n "$(zpool list -H 2>/dev/null)" ]; then
        record 'zpool list'
        record 'zpool status'
    fi
    [ "$(uname -s)" = Linux ] || return 0
    [ ! -s /proc/mdstat ] || record_file /proc/mdstat
    record sensors
    if is_root; then
        for state_disk in /sys/block/sd* /sys/block/nvme*n*; do
            [ ! -e "$state_disk" ] || record "smartctl -A /dev/${state_disk##*/}"
        done
        ! has lvs || [ -z "$(lvs --noheadings 2>/dev/null)" ] || record 'lvs'
        record 'dmesg | tail -n 20'
    fi
}

# --- the chain of runs ----------------------------------------------------------------------------------------------------
# Each run has a number, and its record the SHA-256 of the files of its visit and of the record before: what is dropped, changed
# or put in another order later no longer fits. FOLDER/made has a line for each run: SHA-256 of its record, folder of its visit.

outputs_of() { # FOLDER: a line of TOML with the digest of each of its files
    outputs_all=$(cd "$1" && find . -type f ! -name '.*' | sort | while IFS= read -r outputs_file; do
        printf ', %s = "%s"' "$(toml "${outputs_file#./}")" "$(digest <"$outputs_file")"
    done)
    printf 'outputs = { %s }\n' "${outputs_all#, }"
}
close_visit() { # FOLDER: number and chain the runs of the visit that is at work, and keep it under that name
    outputs=$(outputs_of "$out/work")
    run_number=0 before_it=''
    : >"$out/work/.chain"
    if [ -f "$out/made" ]; then
        run_number=$(lines_in "$out/made")
        before_it=$(sed -n '$s/ .*//p' "$out/made")
        cp "$out/made" "$out/made.part"
    else
        : >"$out/made.part"
    fi
    {
        [ ! -f "$out/work/.run" ] || cat "$out/work/.run"
        [ ! -f "$out/work/.begun" ] || { cat "$out/work/.begun" && printf 'stopped = true\n\n'; }
    } >"$out/work/.runs"
    run_table=
    while IFS= read -r run_line; do
        if [ -n "$run_line" ]; then
            run_table="$run_table$run_line
"
            continue
        fi
        run_number=$((run_number + 1))
        run_table=$(
            printf '[[runs]]\nfile = %s\n%s' "$(toml "$1/transcript.txt")" "$run_table"
            printf 'number = %s\n%s\nbefore = "%s"\n' "$run_number" "$outputs" "$before_it"
        )
        printf '%s\n\n' "$run_table" >>"$out/work/.chain"
        before_it=$(printf '%s\n' "$run_table" | digest)
        printf '%s %s\n' "$before_it" "$1" >>"$out/made.part"
        run_table=
    done <"$out/work/.runs"
    mkdir -p "$out/data/${1%/*}"
    mv "$out/work" "$out/data/$1" || fail "cannot write to $out"
    mv "$out/made.part" "$out/made" || fail "cannot write to $out"
}
keep_stopped() { # the runs of a visit in whose midst a capture was stopped: they were made too
    if [ -f "$out/made.part" ] && [ ! -d "$out/work" ]; then mv "$out/made.part" "$out/made"; fi
    rm -f "$out/made.part"
    stopped_visit=$(cat "$out/work/.visit" 2>/dev/null)
    if [ -z "$stopped_visit" ] || { [ ! -f "$out/work/.run" ] && [ ! -f "$out/work/.begun" ] && [ ! -f "$out/work/.run.part" ]; }; then
        rm -rf "$out/work"
        return 0
    fi
    [ -f "$out/work/.begun" ] || [ ! -f "$out/work/.run.part" ] || mv "$out/work/.run.part" "$out/work/.run"
    rm -f "$out/work/.run.part" "$out/work/.begun.part"
    if [ -f "$out/work/.begun" ] || [ "$(grep -c '^status = ' "$out/work/.run")" -lt "$commands" ]; then
        stopped_number=1
        while [ -d "$out/data/$stopped_visit-stopped-$stopped_number" ]; do stopped_number=$((stopped_number + 1)); done
        stopped_visit=$stopped_visit-stopped-$stopped_number
    fi
    close_visit "$stopped_visit"
}

run_session() { # SESSION
    mkdir -p "$out/data/session-$1"
    record_evidence "$1"
    [ "$commands" -gt 0 ] || return 0
    if [ "$blocks" = yes ]; then
        round=1
        while [ "$round" -le "$rounds" ]; do
            order_of "$1" "$round"
            position=1
            for one in $order; do
                visit "$1" "$round" "$position" "$one"
                position=$((position + 1))
            done
            round=$((round + 1))
        done
    else
        one=1
        while [ "$one" -le "$settings" ]; do
            round=1
            while [ "$round" -le "$rounds" ]; do
                visit "$1" "$round" "$one" "$one"
                round=$((round + 1))
            done
            one=$((one + 1))
        done
    fi
}

# --- evidence -------------------------------------------------------------------------------------------------------------

record() { # COMMAND: append it and its output to the file of evidence, if there is such a program
    record_program=${1%% *}
    has "$record_program" || return 0
    run_shown "$recorded" "$1"
}
record_as_root() { # COMMAND: the same where it needs root
    has "${1%% *}" || return 0
    if is_root; then
        run_shown "$recorded" "$1"
    else
        missed="$missed$1
"
    fi
}
record_file() { # PATH...: those that can be read
    for record_path in "$@"; do
        [ ! -f "$record_path" ] || [ ! -r "$record_path" ] || run_shown "$recorded" "cat $record_path"
    done
}
record_values() { # GLOB...: `grep .` of those that match
    # shellcheck disable=SC2086 # globs
    for record_path in $1; do
        [ ! -e "$record_path" ] || { run_shown "$recorded" "grep -s . $1" && return 0; }
    done
    return 0
}
begin() { # NAME: the next file of evidence
    recorded=$out/evidence/$1.txt
    : >"$recorded"
}

record_evidence() { # SESSION
    [ ! -f "$out/recorded-$1" ] || return 0
    rm -rf "$out/evidence"
    mkdir "$out/evidence" || fail "cannot write to $out"
    missed=
    if [ "$evidence_wanted" = yes ]; then
        say "session $1: recording the machine"
        case $(uname -s) in
        Linux) record_linux ;;
        FreeBSD | DragonFly) record_freebsd ;;
        SunOS) record_illumos ;;
        Darwin) record_macos ;;
        *)
            begin system
            record 'uname -a'
            ;;
        esac
        record_zfs
        printf '%s' "$missed" >"$out/missed"
    fi
    if [ "$evidences" -gt 0 ]; then
        begin more
        evidence_number=1
        while [ "$evidence_number" -le "$evidences" ]; do
            run_shown "$recorded" "$(value_of "evidence_$evidence_number")"
            evidence_number=$((evidence_number + 1))
        done
    fi
    for recorded in "$out"/evidence/*.txt; do
        [ ! -s "$recorded" ] || mv "$recorded" "$out/data/session-$1/"
    done
    rm -rf "$out/evidence"
    clock
    echo "$stamp" >"$out/recorded-$1"
}

record_linux() {
    begin system
    record 'uname -a'
    record_file /etc/os-release /proc/cmdline
    record lscpu
    has lscpu || record_file /proc/cpuinfo
    record 'free -b'
    record_file /proc/meminfo
    record_values '/sys/class/dmi/id/[bps]*_[vn][ea][nmr]*'
    record systemd-detect-virt
    record_values '/sys/devices/system/cpu/cpu0/cpufreq/scaling_[dg]*'
    record 'tuned-adm active'
    record_as_root 'dmidecode -t memory'
    record_memory_limit
    begin disks
    record 'lsblk -o NAME,TYPE,SIZE,ROTA,MODEL,REV,TRAN,FSTYPE,MOUNTPOINT'
    record 'lsblk -t'
    record 'losetup -a'
    record_values '/sys/block/*/queue/*'
    record_values '/sys/block/*/device/[mrvf][oei][dvnr]*'
    record 'lspci -k'
    record_file /proc/mdstat
    for disk in /sys/block/*; do
        disk=${disk##*/}
        case $disk in
        sd* | hd*)
            record_as_root "smartctl -i /dev/$disk"
            record_as_root "hdparm -I /dev/$disk"
            ;;
        nvme*)
            record_as_root "smartctl -i /dev/$disk"
            record_as_root "nvme id-ctrl /dev/$disk"
            ;;
        md*) record_as_root "mdadm --detail /dev/$disk" ;;
        esac
    done
    record_as_root 'nvme list'
    record_as_root 'lvs -o +devices'
    begin mounts
    record_file /proc/mounts
    record 'df -T'
    record 'nfsstat -m'
    grep -v '^\(cgroup\|proc\|sysfs\|tmpfs\) ' /proc/mounts >"$out/evidence/mounted"
    while read -r device mounted type rest; do # not behind a pipe: what a shell beneath this one notes is lost
        case $type in
        xfs) record "xfs_info $mounted" ;;
        ext[234]) record_as_root "dumpe2fs -h $device" ;;
        btrfs)
            record "btrfs filesystem usage $mounted"
            record_as_root "btrfs filesystem show $mounted"
            ;;
        lustre)
            record "lfs df $mounted"
            record "lfs getstripe -d $mounted"
            ;;
        esac
    done <"$out/evidence/mounted"
    record 'beegfs-ctl --getentryinfo /'
    if grep -q -E '^[^ ]+ [^ ]+ (nfs|cifs|smb|ceph|lustre|beegfs|fuse.glusterfs|gpfs|orangefs)' /proc/mounts; then
        record 'ip link'
        record_values '/sys/class/net/*/speed'
        record 'ibstat'
    fi
    begin tunables
    record "sysctl -a 2>/dev/null | grep -E '^(vm|fs|dev)\\.'"
    record_values '/sys/module/zfs/parameters/*'
    record_values '/sys/module/spl/parameters/*'
    record_values '/sys/module/nvme*/parameters/*'
    record_values '/sys/module/scsi_mod/parameters/*'
}
record_memory_limit() { # the files of the control group that limits this process, in version 1 or 2
    while IFS=: read -r _ group_names group; do
        case $group_names in
        memory | *,memory | memory,* | *,memory,*)
            record_file "/sys/fs/cgroup/memory${group%/}/memory.limit_in_bytes"
            ;;
        '') record_file "/sys/fs/cgroup${group%/}/memory.max" ;;
        esac
    done </proc/self/cgroup
}
record_freebsd() {
    begin system
    record 'uname -a'
    record freebsd-version
    record_file /etc/os-release
    record 'sysctl hw.model hw.machine hw.ncpu hw.physmem hw.realmem kern.smp.cpus kern.vm_guest'
    record_file /var/run/dmesg.boot
    record kldstat
    begin disks
    record 'geom disk list'
    record_as_root 'camcontrol devlist -v'
    record_as_root 'nvmecontrol devlist'
    record 'gpart show'
    record 'pciconf -lv'
    for disk in $(sysctl -n kern.disks 2>/dev/null); do record_as_root "smartctl -i /dev/$disk"; done
    begin mounts
    record 'mount -v'
    record 'df -T'
    begin tunables
    record 'sysctl vfs.zfs vfs.read_max vfs.hirunningspace vfs.lorunningspace vfs.bufspace kern.cam kern.geom'
    record_file /boot/loader.conf /etc/sysctl.conf
}
record_illumos() {
    begin system
    record 'uname -a'
    record_file /etc/os-release /etc/release
    record 'psrinfo -pv'
    record 'prtconf -v | head -4'
    record 'prtdiag -v'
    record_file /etc/system
    begin disks
    record 'iostat -En'
    record_as_root diskinfo
    record_as_root 'format </dev/null'
    begin mounts
    record 'mount -v'
    record 'df -n'
    begin tunables
    record 'kstat -p zfs:0:arcstats:c_max zfs:0:arcstats:c_min'
}
record_macos() {
    begin system
    record 'uname -a'
    record sw_vers
    record 'sysctl hw.model hw.ncpu hw.memsize machdep.cpu.brand_string'
    record 'system_profiler SPHardwareDataType'
    begin disks
    record 'system_profiler SPNVMeDataType SPSerialATADataType SPStorageDataType'
    record 'diskutil list'
    begin mounts
    record mount
    begin tunables
    record 'sysctl kern.maxvnodes vm.pressure_disable_threshold'
}
record_zfs() {
    if has zpool && [ -n "$(zpool list -H 2>/dev/null)" ]; then
        begin zfs
        record 'zfs version'
        record 'zpool status'
        record 'zpool list -v'
        record 'zpool get all'
        record 'zfs get all'
        record_as_root 'zpool history'
        record arc_summary
    fi
}

# --- sessions -------------------------------------------------------------------------------------------------------------

finish_session() { # SESSION
    clock
    echo "$now $(boot)" >"$out/ended-$1.part" && mv "$out/ended-$1.part" "$out/ended-$1"
}
rest() { # SECONDS: a signal ends it at once
    "$sleep_program" "$1" &
    resting=$!
    wait "$resting" || broken "$sleep_program failed"
    resting=
}
await_session() { # SESSION: wait until it may start; ends the command where a reboot must come first
    read -r previous_end previous_boot <"$out/ended-$(($1 - 1))"
    if [ "$reboot_between" = yes ]; then
        if [ "$previous_boot" = "$(boot)" ]; then
            say "session $(($1 - 1)) of $sessions is done. Reboot, then: sh $0 --resume $(quote "$out")"
            leave 0
        fi
        return 0
    fi
    clock
    while [ $((now - previous_end)) -lt "$pause" ]; do
        say "session $1 of $sessions starts in $(((pause - now + previous_end + 59) / 60)) minutes; stopped, it goes on with: --resume $(quote "$out")"
        rested_at=$now
        rest $((pause - now + previous_end))
        clock
        [ "$now" -gt "$rested_at" ] || broken "the clock did not go on while $sleep_program waited"
    done
}
run_capture() {
    session=1
    while [ "$session" -le "$sessions" ]; do
        if [ ! -f "$out/ended-$session" ]; then
            [ "$session" = 1 ] || await_session "$session"
            run_session "$session"
            finish_session "$session"
        fi
        session=$((session + 1))
    done
}

leave() { # STATUS
    trap - EXIT HUP INT TERM
    stop_samplers
    [ -z "$resting" ] || kill "$resting" 2>/dev/null
    rm -rf "$out/lock"
    exit "$1"
}
enter() { # hold FOLDER alone, also after a capture that was killed
    if ! mkdir "$out/lock" 2>/dev/null; then
        owner=$(cat "$out/lock/pid" 2>/dev/null)
        if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null && [ "$(cat "$out/lock/boot" 2>/dev/null)" = "$(boot)" ]; then
            fail "the process $owner works in $out. End it, or wait for it."
        fi
        rm -rf "$out/lock"
        mkdir "$out/lock" || fail "cannot write to $out"
    fi
    echo $$ >"$out/lock/pid"
    boot >"$out/lock/boot"
    trap 'leave 1' EXIT
    trap 'say "stopped; it goes on with: sh $0 --resume $(quote "$out")"; leave 130' HUP INT TERM
    left=$(cat "$out/running" 2>/dev/null)
    while [ -n "$left" ] && [ -f "$out/lock/boot" ] && kill -0 "$left" 2>/dev/null; do
        say "waiting for process $left, which a capture that was killed left running"
        "$sleep_program" 5 || broken "$sleep_program failed"
    done
    rm -f "$out/running" "$out/samplers"
    keep_stopped
}

# --- masking --------------------------------------------------------------------------------------------------------------

# Reads FOLDER/names (kind, word, pseudonym; separated by tabs), then texts; prints the texts with each word as its pseudonym.
# Addresses, UUIDs and identifiers of devices are found by their form, and added to FOLDER/names. No intervals in regular
# expressions: some awks have none.
# shellcheck disable=SC2016 # for awk
mask_program='
function learn(kind, word,    key) {
    key = tolower(word)
    if (!(key in pseudonym)) {
        pseudonym[key] = kind "-" ++count[kind]
        print kind "\t" word "\t" pseudonym[key] >> names
    }
    return pseudonym[key]
}
function last_letter(text) { return text == "" ? "" : substr(text, length(text), 1) }
function is_wordy(letter) { return letter ~ /[0-9A-Za-z]/ }
function replace_words(line,    low, at, start, word, before, after, done) {
    low = tolower(line)
    for (at = 1; at <= words; at++) {
        word = literal[at]
        if (!index(low, word)) continue
        done = ""
        while ((start = index(low, word)) > 0) {
            before = start > 1 ? substr(line, start - 1, 1) : last_letter(done)
            after = substr(line, start + length(word), 1)
            if (is_wordy(before) || is_wordy(after) || (length(word) < 4 && (before ~ /[\/._-]/ || after ~ /[|\/._-]/))) {
                done = done substr(line, 1, start)
                line = substr(line, start + 1)
            } else {
                done = done substr(line, 1, start - 1) pseudonym[word]
                line = substr(line, start + length(word))
            }
            low = tolower(line)
        }
        line = done line
        low = tolower(line)
    }
    return line
}
function replace_form(text, form, kind,    done, found, before, after) {
    done = ""
    while (match(text, form)) {
        found = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : last_letter(done)
        after = substr(text, RSTART + RLENGTH, 1)
        done = done substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (is_masked(kind, found, before, after)) found = learn(kind, found)
        done = done found
    }
    return done text
}
function is_masked(kind, found, before, after,    part, parts, at) {
    if (kind == "address") {
        if (before ~ /[0-9A-Za-z.]/ || after ~ /[0-9A-Za-z]/ || found ~ /^(127|0|255)\./) return 0
        parts = split(found, part, ".")
        for (at = 1; at <= parts; at++) if (length(part[at]) > 3 || part[at] + 0 > 255) return 0
        return 1
    }
    if (kind == "mac") return before !~ /[0-9A-Fa-f:]/ && after !~ /[0-9A-Fa-f]/
    if (kind == "id") return length(found) >= 16 && (found ~ /[A-Fa-f]/ && found ~ /[0-9]/ || about_ids && length(found) < 21)
    return 1
}
function replace_ipv6(text,    done, found, before) {
    done = ""
    while (match(text, /[0-9A-Fa-f:]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*/)) {
        found = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : last_letter(done)
        done = done substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (!is_wordy(before) && !is_wordy(substr(text, 1, 1)) && is_ipv6(found)) found = learn("address", found)
        done = done found
    }
    return done text
}
function is_ipv6(found,    part, parts, at) {
    if (found ~ /^:*1?$/ || found !~ /[0-9A-Fa-f]/) return 0
    parts = split(found, part, ":")
    for (at = 1; at <= parts; at++) if (length(part[at]) > 4 && part[at] !~ /\./) return 0
    return index(found, "::") > 0 || parts == 8
}
BEGIN {
    names = ARGV[1]
    h = "[0-9A-Fa-f]"
    h4 = h h h h
    uuid = h4 h4 "-" h4 "-" h4 "-" h4 "-" h4 h4 h4
    x = "[0-9A-Za-z]"
    x4 = x x x x
    lvm = x4 x x "-" x4 "-" x4 "-" x4 "-" x4 "-" x4 "-" x4 x x
    mac = h h "[:-]" h h "[:-]" h h "[:-]" h h "[:-]" h h "[:-]" h h
    mac = mac "(:" h h ":" h h ")?"
    id = "(0x|naa[.]|eui[.])?" h4 h4 h4 h4 h "*"
    wwn = h " " h4 h h " " h4 h4 h
    ipv4 = "[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+"
}
FILENAME == names {
    split($0, field, "\t")
    key = tolower(field[2])
    if (!(key in pseudonym)) {
        pseudonym[key] = field[3]
        number = field[3]
        sub(/.*-/, "", number)
        if (field[3] == field[1] "-" number && number + 0 > count[field[1]]) count[field[1]] = number + 0
        literal[++words] = key
    }
    next
}
{
    line = replace_words($0)
    if (masked == "yes") {
        about_ids = tolower(line) ~ /guid|wwn|eui|naa|unique/
        if (line ~ /-/) {
            line = replace_form(line, uuid, "uuid")
            line = replace_form(line, lvm, "uuid")
        }
        if (line ~ /[:-].*[:-].*[:-]/) line = replace_form(line, mac, "mac")
        line = replace_form(line, id, "id")
        if (about_ids) line = replace_form(line, wwn, "id")
        if (line ~ /:.*:/) line = replace_ipv6(line)
        if (line ~ /[.].*[.].*[.]/) line = replace_form(line, ipv4, "address")
    }
    print line
}'

name_word() { # KIND WORD: one more to replace, unless it is known or says nothing
    case $2 in
    '' | ? | localhost | localhost.* | none | None | NONE | root | nobody | Not | To | Unknown | unknown | N/A) return 0 ;;
    esac
    grep -i -F -q "	$2	" "$out/names" && return 0
    name_count=$(grep -c "^$1	" "$out/names")
    printf '%s\t%s\t%s-%s\n' "$1" "$2" "$1" $((name_count + 1)) >>"$out/names"
}
name_words() { # KIND: those on standard input, one a line
    while IFS= read -r named_word; do name_word "$1" "$named_word"; done
}
collect_names() { # what must not leave the machine, as far as it is known by name; the longest first
    [ -f "$out/names" ] || : >"$out/names"
    own_name=$("$(find_program uname)" -n)
    if [ -n "$host" ]; then
        for word in "$own_name" "${own_name%%.*}"; do
            grep -i -q "^host	$word	" "$out/names" || printf 'host\t%s\t%s\n' "$word" "$host" >>"$out/names"
        done
    fi
    if [ "$masked" = yes ]; then
        {
            printf '%s\n' "$own_name" "${own_name%%.*}" "$(value_of HOSTNAME)"
            "$(find_program hostname)" -f 2>/dev/null
            find_remote_hosts
        } | name_words host
        case $own_name in *.*.*) name_word domain "${own_name#*.}" ;; esac
        find_users | name_words user
        find_serials | name_words serial
        name_number=1
        while [ "$name_number" -le "$hides" ]; do
            name_word hidden "$(value_of "hide_$name_number")"
            name_number=$((name_number + 1))
        done
    fi
    awk -F '\t' '{ print length($2) "\t" $0 }' "$out/names" | sort -rn | cut -f 2- >"$out/names.part" && mv "$out/names.part" "$out/names"
}
find_remote_hosts() { # servers of mounted file systems
    "$(find_program mount)" 2>/dev/null | sed -n -e 's/^\([A-Za-z][A-Za-z0-9.-]*\):\/.*/\1/p' -e 's/^.* on \([A-Za-z][A-Za-z0-9.-]*\):\/.*/\1/p' \
        -e 's/^\/\/\(.*@\)\{0,1\}\([A-Za-z][A-Za-z0-9.-]*\)\/.*/\2/p'
}
find_users() {
    id -un
    printf '%s\n' "${USER-}" "${LOGNAME-}" "${SUDO_USER-}"
    if has dscl; then
        dscl . -list /Users UniqueID 2>/dev/null | awk '$2 >= 500 { print $1 }'
    else
        { getent passwd 2>/dev/null || cat /etc/passwd; } | awk -F : '$3 >= 1000 && $3 < 60000 {
            print $1
            sub(/,.*/, "", $5)
            if ($5 ~ / /) print $5
        }'
    fi
}
find_serials() { # of this machine and its disks, and those behind a label in what was recorded
    for serial_file in /sys/block/*/serial /sys/block/*/device/serial /sys/class/nvme/*/serial /sys/class/dmi/id/*_serial \
        /sys/class/dmi/id/*_asset_tag; do
        [ ! -r "$serial_file" ] || sed 's/^ *//; s/ *$//' "$serial_file"
    done 2>/dev/null
    ! has lsblk || lsblk -dno SERIAL 2>/dev/null | sed 's/^ *//; s/ *$//'
    for serial_path in /dev/disk/by-id/*; do
        serial_path=${serial_path##*/}
        case $serial_path in
        *-part[0-9]*) ;;
        ata-*_* | scsi-*_* | nvme-*_* | usb-*_* | mmc-*_*)
            serial_path=${serial_path##*_}
            printf '%s\n' "${serial_path%%-[0-9]:[0-9]}"
            ;;
        virtio-* | scsi-S*) printf '%s\n' "${serial_path#*-}" ;;
        esac
    done
    find "$out/data" -type f -exec awk '
        {
            rest = tolower($0)
            while (match(rest, /serial|unique id|asset tag|^[ \t]*ident/)) {
                rest = substr(rest, RSTART + RLENGTH)
                sub(/^[ _-]/, "", rest)
                sub(/^(number|num|no|nr|#)/, "", rest)
                sub(/^[.]/, "", rest)
                sub(/^ *[(][a-z]+[)]/, "", rest)
                sub(/^"/, "", rest)
                sub(/^[ \t]*[:=]?[ \t]*"?/, "", rest)
                word = substr($0, length($0) - length(rest) + 1)
                if (match(word, /^[^ \t",;<>()]+/)) {
                    word = substr(word, 1, RLENGTH)
                    if (length(word) > 3 && word ~ /[0-9]/) print word
                }
            }
        }' {} +
}
is_text() { [ "$(tr -d '\000' <"$1" | wc -c)" -eq "$(wc -c <"$1")" ]; }

# --- packing --------------------------------------------------------------------------------------------------------------

pack() { # FOLDER.tar.gz of what there is, with poolmark.toml
    collect_names
    packed=${out##*/}
    packed=$(mask_name "$packed")
    rm -rf "$out/pack"
    mkdir -p "$out/pack/$packed"
    (cd "$out/data" && find . -type f ! -name .run ! -name .runs ! -name .chain ! -name .visit ! -name .begun) | sort >"$out/files"
    while IFS= read -r file; do
        file=${file#./}
        pack_file "$out/data/$file" "$out/pack/$packed/$(mask_name "$file")"
    done <"$out/files"
    write_manifest >"$out/manifest"
    pack_file "$out/manifest" "$out/pack/$packed/poolmark.toml"
    write_runs "$out/pack/$packed" >>"$out/pack/$packed/poolmark.toml"
    rm -f "$out/files" "$out/manifest" "$out/runs"
    (cd "$out/pack" && tar cf - "$packed") | gzip -c >"$out.tar.gz.part" || fail "cannot write $out.tar.gz"
    mv "$out.tar.gz.part" "$out.tar.gz" || fail "cannot write $out.tar.gz"
    rm -rf "$out/pack"
    say "the archive is $out.tar.gz"
    if [ "$masked" = yes ]; then
        say "what stands for what is in $out/names; look through the archive before you send it"
    fi
    if [ -s "$out/missed" ]; then
        say "as root it would also have recorded:"
        sed 's/^/    /' "$out/missed" >&2
    fi
}
mask_name() { # PATH: with pseudonyms
    if [ "$masked" = yes ] || [ -n "$host" ]; then
        printf '%s\n' "$1" | awk -v masked="$masked" "$mask_program" "$out/names" -
    else
        printf '%s\n' "$1"
    fi
}
pack_file() { # FROM TO
    mkdir -p "${2%/*}"
    if [ "$masked" != yes ] && [ -z "$host" ]; then
        cp "$1" "$2"
    elif is_text "$1"; then
        awk -v masked="$masked" "$mask_program" "$out/names" "$1" >"$2" || fail "cannot mask $1"
    elif [ "$masked" = yes ]; then
        say "left out, since it is no text that could be masked: $1"
    else
        cp "$1" "$2"
    fi
}
write_manifest() {
    echo '# Written by poolmark-capture.sh; see docs/manifest.md.'
    [ -z "$title" ] || printf 'title = %s\n' "$(toml "$title")"
    [ -z "$author" ] || printf 'authors = %s\n' "$(toml "$author")"
    [ -z "$licence" ] || printf 'licence = %s\n' "$(toml "$licence")"
    printf '\n[capture]\nversion = %s\nrounds = %s\nsessions = %s\n' "$version" "$rounds" "$sessions"
    if [ "$blocks" = yes ]; then printf 'order = "random, turned around in each second round"\nseed = %s\n' "$seed"; else echo 'order = "one setting after another"'; fi
    [ "$masked" != yes ] || echo 'masked = true'
    if [ -s "$out/missed" ]; then
        printf 'needs_root = ['
        while IFS= read -r line; do printf '%s, ' "$(toml "$line")"; done <"$out/missed" | sed 's/, $//'
        echo ']'
    fi
    number=1
    while [ "$number" -le "$settings" ]; do
        if [ -n "$(value_of "setting_$number")" ]; then
            printf '\n[[settings]]\nname = %s\ncommand = %s\n' "$(toml "$(value_of "name_$number")")" "$(toml "$(value_of "setting_$number")")"
        fi
        number=$((number + 1))
    done
}
write_runs() { # FOLDER of the packed files: the chain over them, as tables of the manifest. What did not fit its record before does
    # not fit after masking either: zeros stand for its digest.
    [ -f "$out/made" ] || return 0
    unlike=$(printf '%064d' 0)
    record_before='' packed_before=''
    : >"$out/runs"
    cut -d ' ' -f 2- "$out/made" | uniq >"$out/files"
    while IFS= read -r run_folder; do
        [ -f "$out/data/$run_folder/.chain" ] || continue
        run_packed=$(mask_name "$run_folder")
        outputs_now=$(outputs_of "$out/data/$run_folder")
        outputs_packed=$(outputs_of "$1/$run_packed")
        record='' run_table='' outputs='' before_it=''
        while IFS= read -r run_line; do
            [ -z "$run_line" ] || record="$record$run_line
"
            case $run_line in
            '') pack_record ;;
            'outputs = '*) outputs=$run_line ;;
            'before = '*) before_it=$(printf '%s\n' "$run_line" | sed 's/before = "\(.*\)"/\1/') ;;
            *)
                run_table="$run_table$run_line
"
                ;;
            esac
        done <"$out/data/$run_folder/.chain"
        write_written "$out/data/$run_folder" "$1/$run_packed" "$run_packed" >>"$out/runs"
    done <"$out/files"
    printf '\n[chain]\nplanned = %s\nmade = %s\n' $((rounds * sessions * settings * commands)) "$(lines_in "$out/made")"
    [ -z "$packed_before" ] || printf 'last = "%s"\n' "$packed_before"
    cat "$out/runs"
}
pack_record() { # the record of write_runs, over the packed files and the packed record before
    [ "$before_it" = "$record_before" ] || packed_before=$unlike
    [ "$outputs" = "$outputs_now" ] || outputs_packed=$(printf '%s\n' "$outputs_packed" | sed 's/= "[0-9a-f]*"/= "'"$unlike"'"/g')
    packed_record=$(
        mask_name "${run_table%?}"
        printf '%s\nbefore = "%s"' "$outputs_packed" "$packed_before"
    )
    printf '\n%s\n' "$packed_record" >>"$out/runs"
    packed_before=$(printf '%s\n' "$packed_record" | digest)
    record_before=$(printf '%s' "$record" | digest)
    record='' run_table='' outputs='' before_it=''
}
write_written() { # FOLDER PACKED NAME: tables of the files that commands wrote: of the visit's first run
    for written in "$2"/*; do
        case ${written##*/} in
        transcript.txt | iostat.txt | vmstat.txt | zpool-iostat.txt | arcstat.txt | '*') ;;
        *)
            printf '\n[[runs]]\nfile = %s\n' "$(toml "$3/${written##*/}")"
            mask_name "$(sed -n -e '/^$/q' -e '/^session/p' -e '/^round/p' -e '/^setting/p' -e '/^started_at/p' "$1/.runs")"
            ;;
        esac
    done
}

# --- main -----------------------------------------------------------------------------------------------------------------

rounds=1 blocks=yes seed='' sessions=1 pause=3660 reboot_between=no drop=yes beside=0 before='' host='' masked=no
title='' author='' licence='' evidence_wanted=yes out='' resume=''
settings=0 commands=0 shows=0 evidences=0 hides=0 packing=no resting=
last_stamp=''

while [ $# -gt 0 ]; do
    option=$1
    case $option in
    --)
        shift
        [ $# -gt 0 ] || misused "there is no command after --"
        words=
        for word in "$@"; do words="$words$(quote "$word") "; done
        append command "${words% }"
        break
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    --version)
        echo "poolmark-capture $version"
        exit 0
        ;;
    --blocks) blocks=yes ;;
    --no-blocks) blocks=no ;;
    --no-drop) drop=no ;;
    --no-evidence) evidence_wanted=no ;;
    --reboot-between) reboot_between=yes ;;
    --mask) masked=yes ;;
    *)
        [ $# -gt 1 ] || misused "$option is not an option, or lacks its value"
        shift
        case $option in
        -n | --rounds) rounds=$1 ;;
        --run) append command "$1" ;;
        --set)
            append setting "$1"
            eval "name_$settings="
            ;;
        --as)
            [ "$settings" -gt 0 ] || misused "--as names the --set before it"
            is_name "$1" || misused "a name has letters, digits, . _ and -, and begins with a letter or digit: $1"
            eval "name_$settings=\$1"
            ;;
        --seed) seed=$1 ;;
        --before) before=$1 ;;
        --show) append show "$1" ;;
        --sessions) sessions=$1 ;;
        --pause) pause=$(seconds_in "$1") || misused "--pause is a time such as 61m, 2h or 90s, not $1" ;;
        --resume) resume=$1 ;;
        --pack)
            resume=$1
            packing=yes
            ;;
        --beside) beside=$1 ;;
        --evidence) append evidence "$1" ;;
        --out) out=$1 ;;
        --host) host=$1 ;;
        --hide) append hide "$1" ;;
        --title) title=$1 ;;
        --author) author=$1 ;;
        --licence) licence=$1 ;;
        *) misused "$option is not an option" ;;
        esac
        ;;
    esac
    shift
done

if [ -n "$resume" ]; then
    [ -f "$resume/plan" ] || fail "$resume holds no capture: there is no file $resume/plan"
    out=$(cd "$resume" && pwd) || exit 1
    mask_it=$masked
    # shellcheck source=/dev/null
    . "$out/plan"
    [ "${plan_version-1}" = "$version" ] || fail "$resume was begun with version ${plan_version-1} of this command, which this one, $version, cannot go on with"
    if [ "$mask_it" = yes ] && [ "$masked" = no ]; then
        masked=yes
        save_plan
    fi
else
    for word in rounds sessions beside; do
        is_number "$(value_of "$word")" || misused "--$word is a number, not $(value_of "$word")"
    done
    if [ "$rounds" = 0 ] || [ "$sessions" = 0 ]; then misused "at least one round and one session"; fi
    [ -z "$host" ] || is_name "$host" || misused "a name has letters, digits, . _ and -, and begins with a letter or digit: $host"
    if [ "$sessions" -gt 1 ] && [ "$reboot_between" = no ] && [ "$pause" -le 3600 ]; then
        say "sessions that are not more than an hour apart count as one: --pause 61m, or --reboot-between"
    fi
    [ "$commands" -gt 0 ] || [ "$settings" = 0 ] || misused "settings without a command: add --run or -- COMMAND"
    if [ -z "$seed" ]; then
        seed=$(($(od -An -N3 -tu4 /dev/urandom 2>/dev/null || echo $$)))
    fi
    is_number "$seed" || misused "--seed is a number of at most nine digits, not $seed"
    if [ "$settings" = 0 ]; then
        append setting ''
        eval name_1=run
    fi
    name_settings
    clock
    out=${out:-poolmark-$(echo "$stamp" | tr -d ':-' | tr T -)}
    mkdir "$out" 2>/dev/null || fail "cannot make the folder $out: it is there already, or its place cannot be written to"
    out=$(cd "$out" && pwd) || exit 1
    mkdir "$out/data"
    save_plan
fi
enter
[ "$packing" = yes ] || run_capture
pack
leave 0
