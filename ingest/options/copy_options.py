"""Which options of dd, rsync, cp, tar, pv and mbuffer do not count."""

from __future__ import annotations

from ingest.options.option_tables import FILE, ToolOptions, defaults_of, pairs

TOOLS: dict[str, ToolOptions] = {}

TOOLS["dd"] = ToolOptions(
    "GNU coreutils manual, dd invocation",
    {
        "what is printed (status)": "status",
        "whether the file may exist already (conv=excl, conv=nocreat)": "conv.excl conv.nocreat",
        "kinds of files that it is not (iflag=noctty, nofollow, directory)": "[io]flag.noctty [io]flag.nofollow [io]flag.directory",
        "what the size of the copy says (iflag=count_bytes)": "iflag.count_bytes",
    },
    # The named parameters: file_size, block_size, fsync; direct and sync_mode hold the flags of the side that is measured.
    named="bs count conv.fsync conv.fdatasync",
    defaults=defaults_of("seek=0 skip=0"),
    synonyms=pairs("oseek=seek iseek=skip"),
    lists="conv iflag oflag",
)

TOOLS["rsync"] = ToolOptions(
    "rsync(1) of 3.4, OPTIONS",
    {
        "what is printed, and where (--verbose, --info, --stats ...)": """
        verbose quiet info debug stderr msgs2stderr no-motd stats progress human-readable itemize-changes out-format
        log-format log-file log-file-format outbuf 8-bit-output help version -V no-progress no-verbose no-human-readable
        no-h no-v
        """,
        "nothing is copied, which the operation says (--dry-run, --list-only)": "dry-run list-only",
        "programs and addresses of the other side (--rsync-path, --address ...)": """
        rsync-path address port password-file early-input config
        """,
        "a copy that was stopped is kept, which a complete one was not (--partial)": "partial partial-dir",
        "how the arguments reach the other side (--secluded-args, --old-args)": """
        secluded-args protect-args old-args trust-sender from0
        """,
    },
    synonyms=pairs(
        """
        -v=verbose -q=quiet -c=checksum -a=archive -r=recursive -R=relative -b=backup -u=update -d=dirs -l=links
        -L=copy-links -k=copy-dirlinks -K=keep-dirlinks -H=hard-links -p=perms -E=executability -A=acls -X=xattrs -o=owner
        -g=group -t=times -U=atimes -N=crtimes -O=omit-dir-times -J=omit-link-times -S=sparse -n=dry-run -W=whole-file
        -x=one-file-system -B=block-size -e=rsh -I=ignore-times -@=modify-window -T=temp-dir -y=fuzzy -z=compress
        -C=cvs-exclude -f=filter -0=from0 -s=secluded-args -8=8-bit-output -h=human-readable -i=itemize-changes
        -M=remote-option -4=ipv4 -6=ipv6 -m=prune-empty-dirs i-r=inc-recursive no-i-r=no-inc-recursive old-d=old-dirs
        del=delete-during no-W=no-whole-file cc=checksum-choice zc=compress-choice zl=compress-level zt=compress-threads
        no-o=no-owner no-g=no-group no-p=no-perms no-t=no-times no-l=no-links no-r=no-recursive no-A=no-acls no-X=no-xattrs
        no-H=no-hard-links no-S=no-sparse no-x=no-one-file-system no-z=no-compress no-c=no-checksum no-R=no-relative
        no-O=no-omit-dir-times no-D=no-devices
        """
    ),
    expands={
        "archive": "recursive links perms times group owner devices specials",
        "-D": "devices specials",
        "-P": "partial progress",
    },
    programs="rsync openrsync",
    arguments="""
        info debug stderr backup-dir suffix confine-root chmod checksum-choice block-size rsh rsync-path max-delete max-size
        min-size max-alloc partial-dir usermap groupmap chown timeout contimeout modify-window temp-dir compare-dest
        copy-dest link-dest compress-choice compress-level compress-threads skip-compress filter exclude exclude-from
        include include-from files-from copy-as address port sockopts outbuf remote-option out-format log-file
        log-file-format password-file early-input bwlimit stop-after stop-at write-batch only-write-batch read-batch
        protocol iconv checksum-seed
        """,
    paths="""
        backup-dir confine-root temp-dir compare-dest copy-dest link-dest exclude-from include-from files-from write-batch
        only-write-batch read-batch
        """,
    targets="kinds",
    sizes="bwlimit block-size max-size min-size",
)

TOOLS["cp"] = ToolOptions(
    "GNU coreutils manual, cp invocation",
    {
        "what is printed (--verbose, --debug, --progress-bar, --help, --version)": "verbose debug progress-bar help version",
        "how the destination is named (-t, -T, --strip-trailing-slashes)": """
        target-directory no-target-directory strip-trailing-slashes
        """,
    },
    defaults=defaults_of("sparse=auto"),
    synonyms=pairs(
        """
        -a=archive -b=backup -f=force -i=interactive -l=link -L=dereference -n=no-clobber -P=no-dereference -r=recursive
        -R=recursive -s=symbolic-link -S=suffix -t=target-directory -T=no-target-directory -u=update -v=verbose
        -x=one-file-system -g=progress-bar
        """
    ),
    expands={
        "archive": "no-dereference recursive preserve=all",
        "-d": "no-dereference preserve=links",
        "-p": "preserve=mode,ownership,timestamps",
    },
    programs="cp gcp",
    arguments="suffix target-directory no-preserve sparse",
    targets="kinds",
)

TOOLS["tar"] = ToolOptions(
    "GNU tar manual, All tar Options",
    {
        "what is done, which the operation says (-c, -x, -t)": "create extract list get",
        "what is printed (-v, --totals, --checkpoint ...)": """
        verbose totals checkpoint warning full-time index-file check-links no-quote-chars quote-chars
        quoting-style block-number show-defaults show-omitted-dirs show-snapshot-field-ranges show-transformed-names
        show-stored-names utc help usage version
        """,
        "where the files are (-C, --one-top-level)": "directory one-top-level",
        "a name inside the archive (-V)": "label",
        "on which host the archive is (--force-local)": "force-local",
    },
    defaults={"file": FILE, **defaults_of("blocking-factor=20 recursion=1 sort=none")},
    synonyms=pairs(
        """
        -A=catenate concatenate=catenate -c=create -d=diff compare=diff -r=append -t=list -u=update -x=extract get=extract
        -g=listed-incremental -G=incremental -n=seek -S=sparse -C=directory -T=files-from -X=exclude-from -k=keep-old-files
        -U=unlink-first -W=verify -O=to-stdout -m=touch -p=preserve-permissions same-permissions=preserve-permissions
        -s=preserve-order same-order=preserve-order -f=file -F=info-script new-volume-script=info-script -L=tape-length
        -M=multi-volume -b=blocking-factor -B=read-full-records -i=ignore-zeros -H=format -V=label -a=auto-compress
        -I=use-compress-program -j=bzip2 -J=xz -z=gzip gunzip=gzip ungzip=gzip -Z=compress uncompress=compress
        -h=dereference -K=starting-file -N=newer after-date=newer -P=absolute-names xform=transform -l=check-links
        -R=block-number -v=verbose -w=interactive confirmation=interactive -?=help portability=old-archive
        """
    ),
    programs="tar gtar bsdtar star",
    is_bundled=True,
    arguments="""
        listed-incremental hole-detection level sparse-version add-file directory exclude exclude-ignore
        exclude-ignore-recursive exclude-tag exclude-tag-all exclude-tag-under files-from exclude-from to-command group
        group-map mode mtime owner owner-map sort xattrs-exclude xattrs-include file info-script tape-length rmt-command
        rsh-command volno-file blocking-factor record-size format pax-option label use-compress-program starting-file
        newer-mtime newer suffix strip-components transform checkpoint-action index-file no-quote-chars quote-chars
        quoting-style warning
        """,
    paths="""
        file listed-incremental add-file exclude-ignore exclude-ignore-recursive files-from exclude-from group-map owner-map
        info-script volno-file
        """,
)

TOOLS["pv"] = ToolOptions(
    "pv(1) of 1.9, OPTIONS",
    {
        "what is shown, and how (Display Switches, Output Modifiers), and of which size (-s)": """
        -[ptebrainqfcvhIATFWDHNPVRdmsw08] progress timer eta fineta rate average-rate bytes buffer-percent last-written format
        numeric quiet wait delay-start size interval width height name force cursor pidfile watchfd average-rate-window bits
        """
    },
    synonyms=pairs("-L=rate-limit -B=buffer-size"),
    programs="pv",
    arguments="-A -F -D -s -i -w -H -N -R -P -d -m rate-limit buffer-size format delay-start size interval width height name",
    sizes="rate-limit buffer-size",
    targets="kinds",
)

TOOLS["mbuffer"] = ToolOptions(
    "mbuffer(1), OPTIONS",
    {"what is printed, and where the data is (-v, -q, -Q, -l, -i, -o, -I, -O, -f, -T)": "-[vqQlhVioIfT] output"},
    synonyms=pairs("-O=output"),
    programs="mbuffer",
    arguments="-i -I -o output -b -s -m -n -P -p -r -R -l -u -v -T -d -D -A -a -S -W",
    sizes="-s -m -r -R",
)
