"""Options of tools as parameters: two runs that differ in one that counts are two workloads, and in one that does not are one.

A manual is the list of a tool's options, with values that are no defaults. Each is tried in every form in which the tool's
outputs, or the command line above one, show it; hypothesis draws pairs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ingest.keys import is_identity
from ingest.options import TOOLS
from ingest.parsers.fio import fio
from ingest.records import Value
from ingest.text.lines import Text

Options = Mapping[str, str]


@dataclass(frozen=True)
class Manual:
    """`counts`, `without_effect`: names of options, separated by blanks. `values`: of those for which VALUES will not do.
    `forms`: an output with these options. `overlaps`: sets of options of which one takes away what another does, or the same."""

    parse: Callable[[Text], object]
    counts: str
    without_effect: str
    forms: Mapping[str, Callable[[Options], str]]
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    overlaps: tuple[frozenset[str], ...] = ()

    def values_of(self, option: str) -> tuple[str, ...]:
        return self.values.get(option, VALUES)

    def workload(self, form: str, options: Options) -> Collection[object]:
        """Metrics and identity parameters of an output."""
        body = self.forms[form](options)
        items = [item for item in self.parse(Text("t", body.split("\n"), body)) if isinstance(item, Value)]  # type: ignore[attr-defined]
        assert items
        return {(item.metric, repr(sorted((k, v) for k, v in item.params.items() if is_identity(k)))) for item in items}


VALUES = ("7", "8")
_FIO_JOB = {"rw": "randwrite", "bs": "16384", "size": "268435456", "ioengine": "libaio"}
_BUFFERS = (
    "zero_buffers refill_buffers scramble_buffers buffer_compress_percentage dedupe_percentage buffer_pattern verify_pattern verify"
)


def _fio_job(options: Options) -> dict[str, str]:
    given = dict(options)
    for synonym, option in (("readwrite", "rw"), ("blocksize", "bs")):
        if synonym in given:
            given[option] = given.pop(synonym)
    return _FIO_JOB | given


def _fio_json(options: Options) -> str:
    side = {"io_bytes": 268435456, "bw_bytes": 4096000, "bw": 4000, "iops": 1000.0, "runtime": 65536, "total_ios": 65536}
    job = {"jobname": "j", "groupid": 0, "error": 0, "job options": {"name": "j", **_fio_job(options)}, "write": side}
    return json.dumps({"fio version": "fio-3.33", "time": "Mon Mar  2 09:20:00 2026", "jobs": [job]}, indent=1)


def _fio_global(options: Options) -> str:
    document = json.loads(_fio_json({}))
    own = document["jobs"][0]["job options"]
    return json.dumps(
        {
            **document,
            "global options": {**own, **_fio_job(options)},
            "jobs": [{**document["jobs"][0], "job options": {"name": "j"}}],
        },
        indent=1,
    )


def _fio_report(options: Options) -> str:
    job = _fio_job(options)
    size = f"{job['bs']}B-{job['bs']}B" if job["bs"].isdecimal() else "4096B-65536B"
    head = f"rw={job['rw'].partition(':')[0]}, bs=(R) {size}, (W) {size}, (T) {size}"
    return (
        f"j: (g=0): {head}, ioengine={job['ioengine']}, iodepth={job.get('iodepth', '1')}\nfio-3.33\nStarting 1 process\n"
        f"j: (groupid=0, jobs={job.get('numjobs', '1')}): err= 0: pid=3: Mon Jul  3 22:30:33 2023\n"
        "  write: IOPS=1000, BW=4000KiB/s (4096kB/s)(256MiB/65536msec); 0 zone resets\n"
        "Run status group 0 (all jobs):\n"
    )


def _fio_command(options: Options) -> str:
    words = " ".join(f"--{option}={value}" for option, value in _fio_job(options).items())
    return f"$ fio --name=j {words}\n{_fio_report(options)}"


def _fio_job_file(options: Options) -> str:
    settings = "\n".join(f"{option}={value}" for option, value in _fio_job(options).items())
    return f"$ cat j.fio\n[j]\n{settings}\n\n$ fio j.fio\n{_fio_report(options)}"


_FIO = Manual(
    fio.parse,
    counts="""
    merge-blktrace-only idle-prof trigger-file trigger-timeout trigger trigger-remote loops numjobs runtime time_based
    startdelay ramp_time ramp_size clocksource gtod_reduce gtod_cpu filename_format lockfile nrfiles openfiles
    file_service_type ioscheduler create_serialize create_fsync create_on_open create_only pre_read unlink_each_loop
    zonemode zonerange zonesize zonecapacity zoneskip read_beyond_wp max_open_zones job_max_open_zones
    ignore_zone_limits zone_reset_threshold zone_reset_frequency recover_zbd_write_error write_zone_remainders direct
    buffered readwrite rw_sequencer randrepeat allrandrepeat fallocate fadvise_hint write_hint offset offset_align
    offset_increment number_ios fsync fdatasync write_barrier sync_file_range overwrite end_fsync end_syncfs
    fsync_on_close rwmixread rwmixwrite random_distribution random_sequence_stride percentage_random norandommap
    softrandommap random_generator sprandom spr_num_regions spr_op spr_cs blocksize blocksize_range bsrange bssplit
    blocksize_unaligned bs_unaligned bs_is_seq_rand blockalign zero_buffers refill_buffers scramble_buffers
    buffer_compress_percentage buffer_compress_chunk buffer_pattern dedupe_percentage dedupe_mode
    dedupe_working_set_percentage dedupe_global invalidate sync iomem mem iomem_align mem_align hugepage-size lockmem
    size io_size io_limit filesize file_append fill_device fill_fs ioengine cmdprio_percentage cmdprio_class
    cmdprio_hint cmdprio cmdprio_bssplit fixedbufs nonvectored force_async registerfiles sqthread_poll
    sqthread_poll_cpu cmd_type cdb_len hipri userspace_reap hipri_percentage nowait uncached atomic libaio_vectored
    fdp dataplacement plid_select fdp_pli_select plids fdp_pli dp_scheme md_per_io_size pi_act pi_chk apptag
    apptag_mask num_range cpuload cpuchunks cpumode exit_on_io_done interface ttl nodelay protocol proto listen
    pingpong window_size mss inplace busy_poll touch_objects rbd_encryption_format chunk_size object_class skip_bad
    verb stat_type readfua writefua write_mode verify_bytchk read_mode verify_mode sg_write_mode stream_id https
    http_mode http_s3_region http_s3_sse_customer_algorithm http_s3_storage_class http_object_mode gpu_dev_ids cuda_io
    rocm_io program arguments grace_time std_redirect xnvme_async xnvme_sync xnvme_admin xnvme_dev_nsid
    xnvme_dev_subnqn xnvme_mem xnvme_iovec libblkio_driver libblkio_pre_connect_props libblkio_num_entries
    libblkio_queue_size libblkio_pre_start_props libblkio_vectored libblkio_write_zeroes_on_trim libblkio_wait_mode
    libblkio_force_enable_completion_eventfd no_completion_thread iodepth iodepth_batch_submit iodepth_batch
    iodepth_batch_complete_min iodepth_batch_complete iodepth_batch_complete_max iodepth_low serialize_overlap
    io_submit_mode thinkcycles thinktime thinktime_spin thinktime_blocks thinktime_blocks_type thinktime_iotime rate
    rate_min rate_iops rate_iops_min rate_process rate_ignore_thinktime rate_cycle latency_target latency_window
    latency_percentile latency_run max_latency read_iolog read_iolog_chunked
    merge_blktrace_scalars merge_blktrace_iters replay_no_stall replay_time_scale replay_align replay_scale
    replay_skip thread nice prio prioclass priohint cpus_allowed cpus_allowed_policy cpumask numa_cpu_nodes
    numa_mem_policy cgroup cgroup_weight flow_id flow flow_sleep exitall exit_what exec_prerun uid gid verify_only
    do_verify verify verify_offset verify_interval verify_pattern verify_pattern_interval verify_policy verify_fatal
    verify_async verify_async_cpus verify_backlog verify_backlog_batch verify_state_load experimental_verify
    verify_write_sequence verify_header_seed trim_percentage trim_verify_zero trim_backlog trim_backlog_batch
    steadystate steadystate_duration ss_dur steadystate_ramp_time ss_ramp steadystate_check_interval ss_interval
    log_compression log_compression_cpus bwavgtime iopsavgtime disable_lat disable_clat disable_slat
    disable_bw_measurement disable_bw exitall_on_error continue_on_error ignore_error profile
    """,
    without_effect="""
    merge_blktrace_file
    debug parse-only output output-format bandwidth-log minimal append-terse terse-version version help cpuclock-test
    crctest cmdhelp enghelp showcmd readonly eta eta-interval eta-newline status-interval section alloc-size
    warnings-fatal max-jobs server daemonize client remote-config inflate-log aux-path unit_base description
    job_start_clock_id directory filename unique_filename filetype allow_file_create allow_mounted_write unlink
    unified_rw_reporting randseed namenode port hostname donorname clustername rbdname clientname conf
    rbd_encryption_passphrase pool cont hdfsdirectory bindname http_host http_user http_pass http_s3_key http_s3_keyid
    http_s3_security_token http_s3_sse_customer_key http_swift_auth_token http_verbose uri nfs_url libblkio_path
    write_iolog replay_redirect wait_for comm cgroup_nodelete stonewall wait_for_previous exec_postrun verify_dump
    verify_state_save per_job_logs group_reporting new_group stats write_bw_log write_lat_log write_hist_log
    write_iops_log log_entries log_avg_msec log_hist_msec log_hist_coarseness log_window_value log_max_value
    log_offset log_prio log_issue_time log_store_compressed log_unix_epoch log_alternate_epoch
    log_alternate_epoch_clock_id block_error_percentiles disk_util slat_percentiles clat_percentiles lat_percentiles
    percentile_list significant_figures error_dump
    """,
    forms={"JSON": _fio_json, "global options": _fio_global, "command": _fio_command, "job file": _fio_job_file},
    values={
        **dict.fromkeys("buffer_compress_percentage dedupe_percentage".split(), ("40", "60")),
        **dict.fromkeys("buffer_pattern verify_pattern".split(), ("0xaa", "0xbb")),
        **dict.fromkeys("rwmixread rwmixwrite".split(), ("30", "80")),
        **dict.fromkeys("blocksize iodepth numjobs".split(), ("4096", "8192")),
        **dict.fromkeys("blocksize_range bsrange".split(), ("1k-4k", "2k:8k")),
        **dict.fromkeys("steadystate_check_interval ss_interval".split(), ("2s", "3s")),
        **dict.fromkeys(
            """
            allrandrepeat randrepeat create_fsync create_serialize do_verify fadvise_hint invalidate touch_objects trim_verify_zero
            verify_header_seed verify_write_sequence std_redirect scramble_buffers pi_act
        """.split(),
            ("0",),
        ),
        **dict.fromkeys(
            """
            time_based gtod_reduce create_on_open create_only pre_read unlink_each_loop read_beyond_wp
            ignore_zone_limits recover_zbd_write_error write_zone_remainders direct overwrite end_fsync
            end_syncfs fsync_on_close random_sequence_stride norandommap softrandommap sprandom
            blocksize_unaligned bs_unaligned bs_is_seq_rand zero_buffers refill_buffers dedupe_global
            file_append fill_device fill_fs fixedbufs registerfiles sqthread_poll hipri userspace_reap nowait
            uncached atomic libaio_vectored fdp nodelay busy_poll skip_bad readfua writefua serialize_overlap
            rate_ignore_thinktime latency_run read_iolog_chunked replay_no_stall thread exitall verify_only
            verify_fatal verify_state_load experimental_verify disable_lat disable_clat disable_slat
            disable_bw_measurement disable_bw exitall_on_error
        """.split(),
            ("1",),
        ),
        "buffered": ("0",),
        "filename_format": ("$jobnum", "x.$filenum"),
        "readwrite": ("randwrite:8", "randrw"),
        "size": ("128m", "50%"),
        "sync": ("1", "dsync"),
    },
    overlaps=(
        frozenset(_BUFFERS.split()),
        frozenset(("direct", "buffered")),
        frozenset(("rwmixread", "rwmixwrite")),
        frozenset(("blocksize", "bs_is_seq_rand", "bsrange", "blocksize_range", "bssplit")),
        frozenset(("numjobs", "filename")),
    ),
)
MANUALS = {"fio": _FIO}
CASES = [pytest.param(tool, form, id=f"{tool}, {form}") for tool, manual in MANUALS.items() for form in manual.forms]


@pytest.mark.parametrize(("tool", "form"), CASES)
def test_each_option_that_counts_makes_another_workload(tool: str, form: str) -> None:
    manual = MANUALS[tool]
    plain, same = manual.workload(form, {}), []
    for option in manual.counts.split():
        workloads = [plain, *(manual.workload(form, {option: value}) for value in manual.values_of(option))]
        if len({frozenset(workload) for workload in workloads}) < len(workloads):
            same.append(option)
    assert same == []


@pytest.mark.parametrize(("tool", "form"), CASES)
def test_each_option_without_effect_makes_the_same_workload(tool: str, form: str) -> None:
    manual = MANUALS[tool]
    plain = manual.workload(form, {})
    others = {
        (option, value)
        for option in manual.without_effect.split()
        for value in manual.values_of(option)
        if manual.workload(form, {option: value}) != plain
    }
    assert others == set()


@pytest.mark.parametrize("tool", MANUALS)
def test_all_forms_show_the_same_workload(tool: str) -> None:
    manual = MANUALS[tool]
    apart = [
        option
        for option in manual.counts.split()
        if len({frozenset(manual.workload(form, {option: manual.values_of(option)[0]})) for form in manual.forms}) > 1
    ]
    assert apart == []


@pytest.mark.parametrize(("tool", "form"), CASES)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_pairs_of_options(tool: str, form: str, data: st.DataObject) -> None:
    """The second of two options changes the workload of the first where it counts, and only there."""
    manual = MANUALS[tool]
    every = (*manual.counts.split(), *manual.without_effect.split())
    one, other = data.draw(st.lists(st.sampled_from(every), min_size=2, max_size=2, unique=True))
    synonyms = TOOLS[tool].synonyms
    assume(synonyms.get(one, one) != synonyms.get(other, other))
    assume(not any({one, other} <= overlap for overlap in manual.overlaps))
    values = {option: data.draw(st.sampled_from(manual.values_of(option))) for option in (one, other)}
    alone = manual.workload(form, {one: values[one]})
    assert (manual.workload(form, values) != alone) == (other in manual.counts.split())
