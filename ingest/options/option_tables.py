"""Per tool, which of its options do not count as part of the workload: `ingest.options` says what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Default:
    """A documented default of versions from `first` up to, but not including, `before`; empty: of all."""

    value: str
    first: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """`manual`: the document that the sections in `without_effect` are of.

    `without_effect`: `reason (section)` -> names or shell patterns, separated by blanks. `named`: options that a named parameter
    holds. `defaults`: option -> its documented defaults. `synonyms`: other spellings -> the option. `sizes`: options, or shell
    patterns, whose values are sizes in bytes, so that `1m` and `1048576` are one value; `times`: those whose values are times, by
    the unit of a bare number (us, ms, s). `switches`: options that are on without a value, and off by default.
    `per_direction`: values for reads, writes and trims, separated by commas. `values`: option -> other spellings of its values.
    `lists`: options whose value is a list, of which each item counts, or not, as `OPTION.ITEM`.

    How its command line is read: `programs`: names of the program. `arguments`: options with an argument, `optional`: those whose
    argument stands in the same word if at all. `paths`: options whose argument is a path, of which the kind counts; separated by
    @ where they are several. `repeats`: switches of which the number counts. `targets`: what counts of the words that are no
    options: `all`, or the `kinds` of them alone. `expands`: options that stand for others; those with a name of their own also
    replace them where all are given. `has_long_words`: long options have one dash as well. `is_bundled`: the first word may be
    letters of options without a dash.
    """

    manual: str
    without_effect: Mapping[str, str]
    named: str = ""
    defaults: Mapping[str, tuple[Default, ...]] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)
    sizes: str = ""
    switches: str = ""
    times: Mapping[str, str] = field(default_factory=dict)
    per_direction: str = ""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    lists: str = ""
    programs: str = ""
    arguments: str = ""
    optional: str = ""
    paths: str = ""
    repeats: str = ""
    targets: str = ""
    expands: Mapping[str, str] = field(default_factory=dict)
    has_long_words: bool = False
    is_bundled: bool = False


def pairs(text: str) -> dict[str, str]:
    """`a=b c=d` as a mapping."""
    return dict(word.split("=", 1) for word in text.split())


def defaults_of(text: str) -> dict[str, tuple[Default, ...]]:
    """`a=1 b=on` as documented defaults of all versions."""
    return {option: (Default(value),) for option, value in pairs(text).items()}


FILE = (Default("file"),)
"""What a path of which only the kind counts usually is."""

_FIO = ToolOptions(
    "fio documentation",
    {
        "where the report goes, and how it looks (Command line options)": (
            "output output-format minimal append-terse terse-version bandwidth-log latency-log eta eta-interval eta-newline "
            "status-interval debug version help showcmd cmdhelp enghelp inflate-log"
        ),
        "guards and limits of the program; a run that they stop has no result (Command line options)": (
            "readonly warnings-fatal max-jobs alloc-size aux-path parse-only cpuclock-test crctest memcpytest"
        ),
        "which of the jobs run, and where: the report names both (Command line options, Client/Server)": (
            "section server server-internal daemonize client remote-config"
        ),
        "names (Job description; Threads, processes and job synchronization)": "name description comm",
        "paths and destinations; whether it is a device, and how many, count (Target file/device)": (
            "filename directory opendir unique_filename filetype replay_redirect hostname port bindname namenode hdfsdirectory "
            "clustername rbdname clientname conf pool cont nfs_url uri http_host donorname libblkio_path"
        ),
        "credentials (I/O engine specific parameters)": (
            "http_user http_pass http_s3_key http_s3_keyid http_s3_security_token http_s3_sse_customer_key http_swift_auth_token "
            "rbd_encryption_passphrase"
        ),
        "permissions, and what is left behind after the run (Target file/device; Threads, processes and job synchronization)": (
            "allow_file_create allow_mounted_write unlink cgroup_nodelete exec_postrun"
        ),
        "another draw from the same distribution; whether runs repeat one is randrepeat (I/O type)": "randseed",
        "units of the report; sizes that were given are in bytes here (Units)": "kb_base unit_base",
        "grouping of the report; the part, and fio.beside, tell which jobs ran at once (Measurements and reporting)": (
            "group_reporting new_group stonewall wait_for stats unified_rw_reporting"
        ),
        "logs beside the report, and their averages (Measurements and reporting; I/O replay)": (
            "write_bw_log write_lat_log write_iops_log write_hist_log write_iolog merge_blktrace_file per_job_logs "
            "log_entries log_avg_msec  log_hist_msec log_hist_coarseness log_window_value log_offset log_prio log_issue_time "
            "log_store_compressed  log_alternate_epoch log_alternate_epoch_clock_id job_start_clock_id"
        ),
        "which figures are printed, and with how many digits (Measurements and reporting)": (
            "clat_percentiles lat_percentiles slat_percentiles percentile_list significant_figures block_error_percentiles "
            "disk_util"
        ),
        "what is written of errors (Error handling; Verification; I/O engine specific parameters)": (
            "error_dump verify_dump verify_state_save http_verbose"
        ),
        "read and ignored by every version that knows it (options.c, FIO_OPT_SOFT_DEPRECATED)": (
            "verifysort verifysort_nr flow_watermark rwmixcycle percentage_sequential"
        ),
    },
    defaults={
        "fallocate": (Default("native", "3.0"), Default("posix", before="3.0")),
        **defaults_of(
            """
            apptag=0x1234 apptag_mask=0xffff buffer_compress_chunk=512 bwavgtime=500 cdb_len=0 cmd_type=nvme cmdprio=0
            cmdprio_hint=0 cmdprio_percentage=0 continue_on_error=none cpuchunks=50000 cpumode=noop
            cpus_allowed_policy=shared create_fsync=1 create_serialize=1 cuda_io=cufile dataplacement=none
            dedupe_mode=repeat dedupe_working_set_percentage=5 do_verify=1 exit_what=group fadvise_hint=1 fdatasync=0
            file_service_type=roundrobin flow=0 flow_id=0 flow_sleep=0
            force_async=0 fsync=0 gpu_dev_ids=0 grace_time=1 hipri_percentage=100 http_mode=webdav
            http_object_mode=block http_s3_region=us-east-1 http_s3_sse_customer_algorithm=AES256
            http_s3_storage_class=STANDARD https=off inplace=0 invalidate=1 io_submit_mode=inline iodepth_batch=1
            iodepth_batch_complete_min=1 iomem_align=0 iopsavgtime=500 job_max_open_zones=0 latency_percentile=100
            libblkio_wait_mode=block lockfile=none lockmem=0 loops=1 max_open_zones=0 md_per_io_size=0 mem=malloc
            nice=0 nonvectored=-1 nrfiles=1 num_range=1 number_ios=0 offset=0 offset_align=0 offset_increment=0
            percentage_random=100 pi_act=1 plid_select=roundrobin ramp_time=0 random_distribution=random
            random_generator=tausworthe randrepeat=1 rate_cycle=1000 rate_process=linear read_mode=read replay_scale=1
            replay_time_scale=100 rocm_io=hipfile runtime=0 rw_sequencer=sequential rwmixread=50 sg_write_mode=write
            spr_cs=0 spr_num_regions=100 spr_op=0.15 startdelay=0 stat_type=stat std_redirect=1
            steadystate_check_interval=1s steadystate_duration=0 steadystate_ramp_time=0 stream_id=0 thinkcycles=0
            thinktime=0 thinktime_blocks=1 thinktime_blocks_type=complete thinktime_iotime=0 thinktime_spin=0
            touch_objects=1 trim_percentage=0 trim_verify_zero=1 ttl=1 verify_async=0 verify_bytchk=0
            verify_header_seed=1 verify_mode=read verify_pattern_interval=0 verify_policy=completed
            verify_write_sequence=1 write_barrier=0 write_mode=write zonecapacity=0 zonemode=none zonerange=0
            zonesize=0 zoneskip=0
            """
        ),
    },
    synonyms=pairs(
        """
        allrandrepeat=randrepeat blockalign=ba blocksize=bs blocksize_range=bsrange
        blocksize_unaligned=bs_unaligned data_placement=dataplacement disable_bw=disable_bw_measurement
        fdp_pli=plids fdp_pli_select=plid_select fileoffset=offset fill_fs=fill_device io_limit=io_size
        iodepth_batch_complete=iodepth_batch_complete_min iodepth_batch_submit=iodepth_batch iomem=mem
        log_max_value=log_window_value log_unix_epoch=log_alternate_epoch mem_align=iomem_align nr_files=nrfiles
        proto=protocol ratecycle=rate_cycle ratemin=rate_min readwrite=rw ss=steadystate
        ss_dur=steadystate_duration ss_interval=steadystate_check_interval ss_ramp=steadystate_ramp_time
        timeout=runtime wait_for_previous=stonewall write_zone_remainders=write_zone_remainder
        """
    ),
    sizes="*",
    switches="""
        atomic bs_is_seq_rand bs_unaligned buffered busy_poll create_fsync create_on_open create_only
        create_serialize dedupe_global direct disable_bw_measurement disable_clat disable_lat disable_slat
        do_verify end_fsync end_syncfs exitall exitall_on_error experimental_verify fdp file_append fill_device
        fixedbufs fsync_on_close gtod_reduce hipri ignore_zone_limits invalidate latency_run libaio_vectored
        nodelay norandommap nowait overwrite pre_read random_sequence_stride randrepeat rate_ignore_thinktime
        read_beyond_wp read_iolog_chunked readfua recover_zbd_write_error refill_buffers registerfiles
        replay_no_stall scramble_buffers serialize_overlap skip_bad softrandommap sprandom sqthread_poll
        std_redirect thread time_based touch_objects trim_verify_zero uncached unlink_each_loop userspace_reap
        verify_fatal verify_header_seed verify_only verify_state_load verify_write_sequence write_zone_remainder
        writefua zero_buffers
    """,
    times={
        "s": "runtime startdelay ramp_time thinktime_iotime steadystate_duration steadystate_ramp_time steadystate_check_interval",
        "us": "thinktime thinktime_spin max_latency latency_target latency_window",
    },
    per_direction="ba bsrange bssplit max_latency percentage_random rate rate_iops rate_iops_min rate_min",
    values={
        "continue_on_error": {"0": "none", "1": "all"},
        "fallocate": {"0": "none", "1": "posix"},
        "file_service_type": {"gauss": "normal"},
    },
)
TOOLS: dict[str, ToolOptions] = {"fio": _FIO}
