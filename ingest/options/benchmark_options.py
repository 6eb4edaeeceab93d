"""Which options of benchmarks do not count."""

from __future__ import annotations

from ingest.options.option_tables import FILE, Default, ToolOptions, defaults_of, pairs

TOOLS: dict[str, ToolOptions] = {}

TOOLS["iozone"] = ToolOptions(
    "iozone(1), and the extended options of iozone.c, of 3.506",
    {
        "how the report looks, and in which file it is (-b, -R, -M, -Q, -C)": "-b -R -M -Q -C",
        "the unit of the report, which is that of the metric (-N, -O)": "-N -O",
        "help, version (-h, -v)": "-h -v",
        "the file is kept after the last test (-w)": "-w",
        "processor statistics, histograms and time stamps beside the figures, silent clients (-+u, -+z, -+T, -+s)": """
        -+u -+z -+T -+s
        """,
        "names and ports of hosts (-+h, -+m, -+c, -+i, -+H, -+P)": "-+h -+m -+c -+i -+H -+P",
        "automatic mode and its sizes: each figure has its own size (-a, -A, -g, -n, -q, -y, -z, -+x)": "-a -A -g -n -q -y -z -+x",
        "which tests are run: each has figures of its own (-i)": "-i",
    },
    # The named parameters: file_size, record_size, processes or threads, direct, sync_mode, verify.
    named="-s -r -t -l -u -T -I -o -V -+d",
    defaults={"-f": FILE, "-F": FILE, **defaults_of("-j=17 -+w=0 -+y=0 -+C=0 -d=0 -J=0")},
    programs="iozone iozone3 Iozone",
    arguments="""
        -b -d -f -F -g -H -i -j -J -k -l -L -n -P -q -r -s -S -t -u -U -V -X -y -Y -+a -+b -+c -+h -+m -+x -+i -+p -+A -+q
        -+K -+w -+y -+C -+S -+W -+H -+P -+O
        """,
    paths="-f -F -U -X -Y",
)

_IOR_LETTERS = pairs(
    """
        -a=api -A=refNum -b=blockSize -c=collective -C=reorderTasks -d=interTestDelay -D=deadlineForStonewalling -e=fsync
        -E=useExistingTestFile -f=scriptFile -F=filePerProc -g=intraTestBarriers -G=setTimeStampSignature -i=repetitions
        -j=outlierThreshold -k=keepFile -K=keepFileWithError -l=dataPacketType -m=multiFile -M=memoryPerNode -N=numTasks
        -o=testFile -Q=taskPerNodeOffset -r=readFile -R=checkRead -s=segmentCount -t=transferSize -T=maxTimeDuration
        -u=uniqueDir -v=verbose -w=writeFile -W=checkWrite -x=singleXferAttempt -X=reorderTasksRandomSeed -y=dualMount
        -Y=fsyncPerWrite -z=randomOffset -Z=reorderTasksRandom -B=useO_DIRECT -h=help -H=showHints -I=individualDataSets
        -J=setAlignment -n=noFill -p=preallocate -q=quitOnError -S=useStridedDatatype -U=hintsFileName -V=useFileView
        """
)
_IOR_DIRECTIVES = (
    """
        summaryFile summaryFormat saveRankPerformanceDetailsCSV savePerOpDataCSV debug platform allocateBufferOnGPU GPUid
        GPUDirect stoneWallingWearOut stoneWallingWearOutIterations stoneWallingStatusFile minTimeDuration memoryPerTask
        warningAsErrors randomPrefill dryRun summaryAlways interIODelay storeFileOffset corruptFile lustreStripeCount
        lustreStripeSize lustreStartOST
        """
).split()
TOOLS["ior"] = ToolOptions(
    "IOR user documentation of 4.0, Options",
    {
        "how the report looks, and in which file it is (-v, -O summaryFile, summaryFormat, save...)": """
        verbose summaryFile summaryFormat summaryAlways saveRankPerformanceDetailsCSV savePerOpDataCSV
        """,
        "names of the run and of the platform (-A, platform)": "refNum platform testID options help debug showHints",
        "each repetition is a figure of its own (-i)": "repetitions",
        "files are kept after the last phase (-k, -K)": "keepFile keepFileWithError",
        "warnings and errors alone (-j, -q, warningAsErrors)": "outlierThreshold quitOnError warningAsErrors",
        "no further repetition begins after that time; a test is not stopped (-T)": "maxTimeDuration",
        "the number of an interface's release (Options, apiVersion)": "apiVersion",
    },
    # The named parameters: api, block_size, transfer_size, segments, processes, nodes, access, fsync, direct.
    named="""
        api blockSize transferSize segmentCount numTasks nodes tasks tasksPerNode filePerProc collective fsync fsyncPerWrite
        useO_DIRECT
        """,
    defaults={
        "testFile": FILE,
        "randomOffset": (Default("1"),),  # once is what `random` in the name of the operation says
        **defaults_of(
            """
        taskPerNodeOffset=1 memoryPerNode=0 memoryPerTask=0 interTestDelay=0 deadlineForStonewalling=0 stoneWallingWearOut=0
        memoryBuffer=CPU dataAccess=CPU GPUDirect=0 GPUid=-1 allocateBufferOnGPU=0 reorderTasksRandomSeed=0
        setTimeStampSignature=0 dataPacketType=g minTimeDuration=0
        """
        ),
    },
    synonyms={
        **_IOR_LETTERS,
        **{name.lower(): name for name in (*_IOR_LETTERS.values(), *_IOR_DIRECTIVES)},
        **pairs(
            """
        deadlineforstonewall=deadlineForStonewalling stonewallingtime=deadlineForStonewalling
        reordertasksconstant=reorderTasks random-offset-seed=randomOffsetSeed numtasksonnode0=tasksPerNode numnodes=nodes
        test_filename=testFile testfilename=testFile task_offset=taskPerNodeOffset
        reorder_random_seed=reorderTasksRandomSeed data_packet_type=dataPacketType
        settimestampsignature/incompressibleseed=setTimeStampSignature reference_number=refNum gpudirect=GPUDirect
        testid=testID taskspernode=tasksPerNode apiversion=apiVersion posix.odirect=useO_DIRECT
        """
        ),
    },
    programs="ior IOR ior.exe IOR.exe ior-mpiio IOR-posix",
    arguments="""
        api refNum blockSize interTestDelay deadlineForStonewalling scriptFile setTimeStampSignature repetitions
        outlierThreshold setAlignment dataPacketType memoryPerNode numTasks testFile -O taskPerNodeOffset segmentCount
        transferSize maxTimeDuration hintsFileName reorderTasksRandomSeed randomPrefill randomOffsetSeed
        """,
    paths="testFile scriptFile hintsFileName stoneWallingStatusFile",
    repeats="randomOffset reorderTasksRandom",
    sizes="memoryPerNode memoryPerTask randomPrefill lustreStripeSize setAlignment",
    switches="""
        reorderTasks useExistingTestFile intraTestBarriers multiFile readFile writeFile checkRead checkWrite uniqueDir
        singleXferAttempt dualMount reorderTasksRandom dryRun gpuDirect GPUDirect individualDataSets noFill preallocate
        useStridedDatatype useFileView stoneWallingWearOut storeFileOffset
        """,
)

TOOLS["mdtest"] = ToolOptions(
    "mdtest documentation of 4.0, Usage",
    {
        "how the report looks, and in which file it is (-P, -Z, -v, -V, save..., show...)": """
        -P -Z -v -V print-all-procs saveRankPerformanceDetails savePerOpDataCSV showRankStatistics
        """,
        "each iteration is a figure of its own (-i)": "-i",
        "warnings alone (warningAsErrors)": "warningAsErrors",
    },
    # The named parameters: files, dirs, files_per_dir, dirs_per_dir, levels, file_size, access, api, fsync.
    named="-n -I -b -z -w -u -a -y",
    defaults={"-d": FILE, **defaults_of("-N=0 -p=0 -R=0 -e=0 -B=0 -W=0")},
    synonyms=pairs("verify-read=-X"),
    programs="mdtest",
    arguments="""
        -a -b -d -B -e -f -G -i -I -l -n -N -p -s -V -w -W -x -z random-seed dataPacketType run-cmd-before-phase
        run-cmd-after-phase allocateBufferOnGPU GPUid saveRankPerformanceDetails savePerOpDataCSV
        """,
    paths="-d -x",
)

TOOLS["bonnie++"] = ToolOptions(
    "bonnie++(8) of 2.00, OPTIONS",
    {
        "where the files are (-d)": "-d",
        "a name for display (-m)": "-m",
        "how the report looks (-q)": "-q",
        "the user that the program becomes (-u, -g)": "-u -g",
        "the memory with which the sizes are checked, which does not change them where they are printed (-r)": "-r",
        "each run prints figures of its own (-x)": "-x",
    },
    # The named parameters: file_size, chunk_size, seeks, seekers, files and their sizes, threads.
    named="-s -n -c",
    programs="bonnie++ bonnie",
    arguments="-d -c -s -n -m -r -x -u -g -p -z -Z -v",
    optional="-f# -y",
    paths="-Z",
)

TOOLS["elbencho"] = ToolOptions(
    "elbencho --help-all of 3.0",
    {
        "how the report looks, and in which file it is (--lat, --live, --csvfile ...)": """
        lat lathisto latpercent latpercent9s allelapsed svcelapsed base10 cpu dirstats no0usecerr nocsvlabels csvfile
        jsonfile resfile label live* nolive log opslog opsloglock help help-* version s3log s3logprefix svcping
        """,
        "names of hosts and services, and their start (--hosts, --port ...)": """
        hosts hostsfile clients clientsfile servers serversfile port svcpwfile svcupint svcwait service foreground nodetach
        quit interrupt rankoffset start path althttpsvc
        """,
        "what is created before and removed after the phases measured (-d, -D, -F)": """
        mkdirs deldirs delfiles nodelerr
        """,
        "each iteration is a figure of its own (-i)": "iterations",
        "names, keys and passwords of the object store (--s3key, --s3secret, --s3endpoints ...)": """
        s3key s3secret s3sessiontoken s3endpoints s3credfile s3credlist s3region s3objprefix s3sseckey s3ssekmskey
        """,
    },
    # The named parameters: threads, file_size, block_size, dirs, files_per_dir, iodepth, nodes, direct, pattern.
    named="threads size block dirs files iodepth numhosts direct rand backward",
    defaults=defaults_of(
        "blockvarpct=100 randamount=0 limitread=0 limitwrite=0 phasedelay=0 timelimit=0 rwmixpct=0 rwmixthr=0 verify=0 infloop=0"
    ),
    synonyms=pairs(
        """
        -h=help -b=block -c=configfile -d=mkdirs -w=write -D=deldirs -F=delfiles -s=size -i=iterations -n=dirs -N=files
        -t=threads -r=read s3checksumalgo=s3chksumalgo help-bdev=help
        """
    ),
    programs="elbencho",
    arguments="""
        block blockvaralgo blockvarpct clients clientsfile configfile cores csvfile dirs fadv files flock gpuids hosts
        hostsfile iodepth iterations jsonfile label latpercent9s limitread limitwrite livecsv liveint livejson log madv
        netdevs numhosts opslog path phasedelay port randalgo randamount rankoffset recvbuf resfile respsize rotatehosts
        rwmixpct rwmixthr rwmixthrpct s3aclgrantee s3aclgrants s3aclgtype s3chksumalgo s3credfile s3credlist s3endpoints
        s3key s3listobj s3log s3logprefix s3maxconns s3mpusizevar s3mpusplit s3multidel s3objprefix s3region s3secret
        s3sessiontoken s3sign s3sseckey s3ssekmskey s3targetgbps sendbuf servers serversfile sharesize size start svcpwfile
        svcupint svcwait threads timelimit treefile treeroundup treescan verify zones
        """,
    paths="configfile treefile treescan",
    targets="all",
    sizes="limitread limitwrite randamount recvbuf sendbuf respsize sharesize treeroundup s3mpusplit s3mpusizevar",
)

TOOLS["sysbench"] = ToolOptions(
    "sysbench --help and sysbench fileio help of 1.0.20",
    {
        "what is printed (--report-interval, --verbosity ...)": """
        report-interval report-checkpoints verbosity debug percentile histogram help version
        """,
        "how long the start and the end may take (--thread-init-timeout, --forced-shutdown)": "thread-init-timeout forced-shutdown",
        "the name of the test (--test)": "test",
    },
    # The named parameters: total_size, files, block_size, threads, engine; the operation has the mode, `mix` the ratio.
    named="file-total-size file-num file-block-size threads file-test-mode file-rw-ratio file-io-mode file-extra-flags.direct",
    defaults={
        **defaults_of(
            """
        file-fsync-freq=100 file-fsync-end=1 file-fsync-mode=fsync file-merged-requests=0
        file-io-mode=sync file-async-backlog=128 warmup-time=0 thread-stack-size=65536 rate=0
        """
        ),
        "events": (Default("10000", before="1.0"), Default("0", first="1.0")),
        "time": (Default("0", before="1.0"), Default("10s", first="1.0")),
    },
    synonyms=pairs("num-threads=threads max-requests=events max-time=time tx-rate=rate"),
    programs="sysbench",
    arguments="""
        file-num file-block-size file-total-size file-test-mode file-io-mode file-async-backlog file-extra-flags
        file-fsync-freq file-fsync-all file-fsync-end file-fsync-mode file-merged-requests file-rw-ratio threads events time
        warmup-time forced-shutdown thread-stack-size thread-init-timeout rate report-interval report-checkpoints debug
        validate config-file test percentile verbosity rand-type rand-seed rand-init rand-spec-iter rand-spec-pct
        rand-spec-res rand-pareto-h rand-zipfian-exp
        """,
    paths="config-file",
    sizes="thread-stack-size",
    switches="file-fsync-all file-fsync-end validate rand-init",
    times={"s": "time warmup-time"},
    lists="file-extra-flags",
)

TOOLS["ioping"] = ToolOptions(
    "ioping(1) of 1.3, OPTIONS",
    {
        "how the report looks (-q, -B, -J, -I, -p, -P)": "-q -B -J -I -p -P -h -v",
        "requests that are left out of the figures (-a, -t, -T)": "-a -t -T",
        "the temporary file is kept (-k)": "-k",
        "how the target of writes is confirmed (-W three times)": "-W",
    },
    # The named parameters: block_size, direct, access, sync_mode, pattern; the operation has the direction.
    named="-s -L -D -C -Y",
    defaults=defaults_of("-i=1s -b=0 -c=0 -w=0 -o=0 -e=0"),
    synonyms=pairs(
        """
        warmup=-a burst=-b count=-c entropy=-e interval=-i speed-limit=-l rate-limit=-r min-time=-t max-time=-T size=-s
        work-size=-S work-offset=-o work-time=-w print-count=-p print-interval=-P async=-A batch=-B cached=-C direct=-D
        time=-I json=-J linear=-L nowait=-N rapid=-R write=-W read-write=-G sync=-Y dsync=-y keep=-k quiet=-q help=-h
        version=-v
        """
    ),
    programs="ioping",
    arguments="-a -b -c -e -i -l -r -t -T -s -S -o -w -p -P",
    optional="-I",
    targets="all",
    sizes="-l -S -o",
    times={"s": "-i -w"},
    has_long_words=True,
)

TOOLS["filebench"] = ToolOptions(
    "filebench wiki, Workload model language",
    {"where the files are, and their names (Filesets)": "dir path filename actvidsname passvidsname"},
    # file_size, block_size, threads, processes and files hold the variables of that meaning where these are plain numbers.
    defaults=defaults_of("run=60 eventrate=0 directio=0 workingset=0 sync=0 cached=0"),
    sizes="bytes count workingset meanappendsize logfilesize *iosize *filesize memperthread",
    switches="sync cached reuseit directio",
)

TOOLS["dbench"] = ToolOptions(
    "dbench --help of 4.00",
    {"where the files are, and what is printed (-D, --per-client-results)": "directory skip-cleanup per-client-results"},
    defaults=defaults_of("timelimit=600s loadfile=client.txt clients-per-process=1"),
    synonyms=pairs(
        "-t=timelimit -c=loadfile -D=directory -R=target-rate -s=sync -S=sync-dir -F=fsync sync-open=sync sync-dirs=sync-dir"
    ),
    programs="dbench",
    arguments="timelimit loadfile directory -T tcp-options target-rate clients-per-process trunc-io -B backend warmup",
    switches="sync sync-dir fsync",
    times={"s": "timelimit warmup"},
)

TOOLS["pveperf"] = ToolOptions("pveperf: it has none", {}, programs="pveperf")

TOOLS["rados"] = ToolOptions(
    "rados(8) of Ceph 19, BENCH OPTIONS",
    {
        "names, keys, addresses, and what is printed or left (-p, -N, -n, --run-name, --format, --no-cleanup ...)": """
        -[pNnkcmf] pool namespace name id keyring conf mon_host cluster run-name format show-time no-cleanup
        """
    },
    named="concurrent-ios block-size -o object-size",
    synonyms=pairs("-t=concurrent-ios -b=block-size"),
    programs="rados",
    arguments="-p -N -n -k -c -m -f -o pool namespace name id run-name format concurrent-ios block-size object-size max-objects",
)

TOOLS["diskspd"] = ToolOptions(
    "DiskSpd wiki, Command line and parameters",
    {"what is measured beside the totals, and how it is printed (-L, -D, -R, -v, -P, -x)": "-[LDRvPx]"},
    # The named parameters: block_size, iodepth, threads, mix, access, direct and sync_mode.
    named="-[botFOwrsSh]",
    defaults=defaults_of("-d=10s -W=5s -C=0"),
    programs="diskspd diskspd64",
    optional="-b -o -t -F -O -w -r -s -S -R -D -c -d -W -C -Z -z -f -B -M -T -g -i -j -l -p -a -n -x -I -P",
    sizes="-c -B -f -M -T -Z",
    times={"s": "-d -W -C"},
)

TOOLS["vdbench"] = ToolOptions(
    "Vdbench 5.04 User's Guide, Run Definition Parameters",
    {"the time of an interval, of which the averages are of all (interval)": "interval"},
    named="xfersize threads rdpct",
    defaults=defaults_of("iorate=max fwdrate=max warmup=0"),
    times={"s": "elapsed warmup"},
)
