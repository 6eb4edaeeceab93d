"""Open keys: properties of a configuration under the namespace of what reports them (`zfs.primarycache`, `sysctl.vm.dirty_ratio`).

A namespace has an allow list of the properties that change performance: those are part of a configuration's identity. So is
every key that a person set (`Clue.by_person`). The rest is recorded and shown, but does not make two configurations of one:
recording more must never make runs less comparable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy

MAX_LENGTH = 200  # characters of a value, and of a name


@dataclass(frozen=True, slots=True)
class Namespace:
    """`identity`: why properties change performance -> their names or shell patterns, separated by blanks, as in `sizes` and
    `never`. `source` defines them.

    `is_bulk`: it has dozens of properties, so that those outside of the identity stand in evidence records only, and not in
    printed configuration of every record. `sizes`: properties whose values are sizes, stored in bytes. `never`: names, places and
    limits of space, which distinguish nothing even where a person set them; so do ZFS's user properties (`org.example:note`).
    """

    name: str
    label: str
    source: str
    identity: Mapping[str, str]
    is_bulk: bool = False
    sizes: str = ""
    never: str = ""


_CACHES = "which data the cache keeps"
_FLUSH = "when written data must be on stable storage"
_MEMORY = "memory for cached data"
_QUEUE = "operations in flight at a device"
_AHEAD = "read-ahead"
_DELAY = "how much dirty data is held back, and for how long"
_METADATA = "size and number of metadata writes"
_CHECKS = "work for each block"
_SPACE = "how blocks are allocated"
_TRANSFER = "size of a request over the network"

NAMESPACES: dict[str, Namespace] = {
    space.name: space
    for space in (
        Namespace(
            "zfs",
            "ZFS data set",
            "zfsprops(7)",
            {
                _CACHES: "primarycache secondarycache",
                _AHEAD: "prefetch",
                "whether the cache is bypassed": "direct",
                _FLUSH: "logbias",
                _CHECKS: "encryption checksum vscan",
                _METADATA: "redundant_metadata xattr dnodesize acltype relatime",
                "which blocks are on the special vdev": "special_small_blocks",
                _SPACE: "volblocksize",
                _QUEUE: "volthreading",
                "comparison of names": "casesensitivity normalization utf8only",
                "format on disk": "version",
                "data fetched from another file system when it is read": "shadow",
            },
            sizes=(
                "available effectivequota logicalreferenced logicalused quota referenced refquota refreservation reservation "
                "special_small_blocks used usedbychildren usedbydataset usedbyrefreservation usedbysnapshots volblocksize "
                "volsize written"
            ),
            never=(
                "aclinherit aclmode canmount context createtxg defaultgroupobjquota defaultgroupquota defaultprojectobjquota "
                "defaultprojectquota defaultuserobjquota defaultuserquota defcontext devices exec filesystem_limit fscontext guid "
                "jailed keylocation mlslabel mountpoint nbmand objsetid overlay pbkdf2iters quota readonly refquota refreservation "
                "reservation rootcontext setuid sharenfs sharesmb snapdev snapdir snapshot_limit snapshots_changed volmode "
                "volsize zoned"
            ),
        ),
        Namespace(
            "zpool",
            "ZFS pool",
            "zpoolprops(7), zpool-features(7)",
            {
                "commands to the devices beside the work": "autotrim",
                "writes beside the work": "multihost",
                "format on disk": "version",
                "what is deduplicated": "dedup_table_quota dedupditto",
                "format on disk and paths of code": "feature@*",
            },
            sizes=(
                "allocated available bclonesaved bcloneused checkpoint dedup_table_size dedupcached dedupsaved dedupused "
                "expandsize free freeing leaked size usable used"
            ),
            never="altroot bootfs cachefile comment delegation failmode guid listsnapshots readonly",
        ),
        Namespace(
            "mount",
            "Mount option",
            "mount(8), ext4(5), xfs(5), btrfs(5), nfs(5), mount.lustre(8)",
            {
                _FLUSH: "sync dirsync barrier wsync flushoncommit osyncisdsync auto_da_alloc bh treelog fsync_mode flush_merge",
                _METADATA: (
                    "lazytime diratime journal_checksum journal_async_commit usrquota grpquota prjquota quota soft-updates "
                    "gjournal journaled logging metadata_ratio inline_data inline_dentry checkpoint_merge metadata_replicas"
                ),
                _DELAY: "data commit delalloc max_batch_time min_batch_time write",
                _QUEUE: "dioread_nolock journal_ioprio thread_pool max_credits",
                _AHEAD: "inode_readahead_blks rasize readahead max_readahead prefetch_block_bitmaps rdirplus",
                _SPACE: (
                    "stripe sunit swidth swalloc allocsize inode64 largeio mballoc mb_optimize_scan oldalloc reservation "
                    "filestreams ikeep ssd ssd_spread space_cache datacow autodefrag max_inline alloc_mode active_logs "
                    "extent_cache tail data_replicas"
                ),
                "the journal": "logbufs logbsize logdev rtdev log_size",
                "work beside that of the user": "init_itable background_gc",
                _CACHES: (
                    "dax direct_io directio forcedirectio direct-io-mode kernel_cache auto_cache writeback_cache fsc cache cto "
                    "lookupcache async ac actimeo acregmin acregmax acdirmin acdirmax attr_timeout entry_timeout "
                    "attribute-timeout entry-timeout dcache"
                ),
                _CHECKS: (
                    "datasum discard encryption compress-force block_validity data_checksum metadata_checksum crc checksum seal "
                    "sign"
                ),
                _TRANSFER: (
                    "rsize wsize bsize max_read max_write max_pages big_writes vers proto nconnect max_connect sec rdma "
                    "multichannel"
                ),
                "locks over the network": "flock localflock local_lock lock",
            },
            sizes="logbsize allocsize rsize wsize max_read max_write max_inline",
            never=(
                "_netdev addr allow_other allow_root auto bind clientaddr context default_permissions defaults defcontext dev "
                "device devices devname errors exec fd fscontext gid group_id hard intr local loop lowerdir minorversion mountaddr "
                "mountport nbmand nofail nosymfollow onerror port remount resgid resuid retrans ro rootcontext rootmode rw "
                "seclabel setuid soft subvol subvolid suid timeo uid umask upperdir user user_id users workdir"
            ),
        ),
        Namespace(
            "btrfs",
            "btrfs",
            "btrfs(5), mkfs.btrfs(8)",
            {
                "copies and stripes": "data metadata system",
                _SPACE: "nodesize sectorsize",
                _CHECKS: "csum_type",
                "format on disk": "features incompat compat_ro",
            },
            sizes="nodesize sectorsize",
        ),
        Namespace(
            "ext4",
            "ext4",
            "ext4(5), tune2fs(8), mke2fs(8)",
            {
                "format on disk and defaults": "features default_mount_options",
                _SPACE: "block_size cluster_size fragment_size raid_stride raid_stripe_width flex_block_group_size",
                _METADATA: "inode_size journal_size journal_device default_directory_hash",
            },
            is_bulk=True,
            sizes="block_size cluster_size fragment_size inode_size journal_size",
            never="discard hash_seed nodiscard offset resize root_owner",
        ),
        Namespace(
            "xfs",
            "XFS",
            "xfs_info(8), mkfs.xfs(8)",
            {
                _SPACE: "agcount bsize sunit swidth sectsz realtime extsz unwritten",
                _METADATA: (
                    "isize crc finobt inobtcount sparse rmapbt reflink attr naming_version naming_bsize ascii-ci ftype bigtime "
                    "nrext64 parent exchange metadir lazy-count"
                ),
                "the journal": "log log_blocks log_bsize log_sunit log_sectsz log_version",
            },
            sizes="bsize isize sectsz naming_bsize log_bsize log_size log_su su extsz",
        ),
        Namespace(
            "lustre",
            "Lustre",
            "lctl(8), lfs-getstripe(1), Lustre Operations Manual",
            {
                _SPACE: "stripe_count stripe_size pattern pool layout mirror_count",
                _QUEUE: (
                    "osc.max_rpcs_in_flight mdc.max_rpcs_in_flight mdc.max_mod_rpcs_in_flight osc.max_pages_per_rpc "
                    "osc.max_dirty_mb mdc.max_pages_per_rpc mdc.max_dirty_mb"
                ),
                _CHECKS: "osc.checksums osc.checksum_type mdc.checksums llite.checksums llite.checksum_pages",
                _AHEAD: (
                    "llite.max_read_ahead_mb llite.max_read_ahead_per_file_mb llite.statahead_max "
                    "llite.max_read_ahead_whole_mb llite.max_read_ahead_async_active llite.read_ahead_async_file_threshold_mb "
                    "llite.statahead_running_max osc.short_io_bytes"
                ),
                _CACHES: (
                    "llite.max_cached_mb llite.fast_read llite.hybrid_io osd.read_cache_enable osd.writethrough_cache_enable "
                    "osd.readcache_max_filesize"
                ),
                _METADATA: (
                    "llite.xattr_cache llite.statahead_agl ldlm.namespaces.lru_size ldlm.namespaces.lru_max_age mdc.batch_max"
                ),
                _FLUSH: "obdfilter.brw_size obdfilter.sync_journal obdfilter.sync_on_lock_cancel",
            },
            sizes="stripe_size",
        ),
        Namespace(
            "block",
            "Block device",
            "Linux Documentation/ABI/stable/sysfs-block, hdparm(8), smartctl(8), nvme-id-ctrl(1)",
            {
                _QUEUE: (
                    "scheduler nr_requests queue_depth nomerges rq_affinity io_poll iosched.* wbt_lat_usec max_sectors_kb "
                    "io_poll_delay"
                ),
                _AHEAD: "read_ahead_kb look_ahead read_cache",
                _FLUSH: "write_cache fua",
                "the device": "rotational rotation_rate firmware link_speed interface zoned",
                _SPACE: "logical_block_size physical_block_size lba_format",
                "the device's own pace": "acoustic_management power_management",
                _CACHES: "dax multipath_policy bcache_mode dm_cache_mode",
            },
            is_bulk=True,
            never="devices",
        ),
        Namespace(
            "raid",
            "RAID",
            "mdadm(8), md(4), storcli, arcconf",
            {
                _SPACE: "level devices layout chunk_size strip_size",
                _FLUSH: "write_policy write_cache disk_cache io_policy battery",
                _AHEAD: "read_policy read_cache",
                _METADATA: "bitmap consistency_policy journal",
                _MEMORY: "stripe_cache_size group_thread_cnt",
                "the device": "controller",
            },
            sizes="chunk_size strip_size",
        ),
        Namespace(
            "sysctl",
            "sysctl",
            "Linux Documentation/admin-guide/sysctl, FreeBSD tuning(7) and zfs(4)",
            {
                _DELAY: (
                    "vm.dirty_ratio vm.dirty_background_ratio vm.dirty_bytes vm.dirty_background_bytes "
                    "vm.dirty_expire_centisecs vm.dirty_writeback_centisecs vfs.zfs.txg.timeout vfs.zfs.dirty_data_max "
                    "vfs.zfs.write_limit_override"
                ),
                _MEMORY: (
                    "vm.vfs_cache_pressure vm.swappiness vm.zone_reclaim_mode vm.laptop_mode vm.nr_hugepages "
                    "kernel.numa_balancing vm.overcommit_memory vfs.zfs.arc_max vfs.zfs.arc_min vfs.zfs.arc.max "
                    "vfs.zfs.arc.min vfs.zfs.arc_meta_limit vfs.zfs.arc.meta_limit vfs.zfs.compressed_arc_enabled "
                    "vfs.hirunningspace vfs.lorunningspace vfs.ufs.dirhash_maxmem"
                ),
                _TRANSFER: (
                    "net.core.rmem_max net.core.wmem_max net.core.rmem_default net.core.wmem_default net.ipv4.tcp_rmem "
                    "net.ipv4.tcp_wmem net.ipv4.tcp_mem net.core.netdev_max_backlog net.core.default_qdisc net.core.busy_poll "
                    "net.ipv4.tcp_congestion_control net.ipv4.tcp_low_latency net.ipv4.tcp_timestamps kern.ipc.maxsockbuf "
                    "net.inet.tcp.sendspace net.inet.tcp.recvspace"
                ),
                _QUEUE: (
                    "sunrpc.tcp_slot_table_entries sunrpc.tcp_max_slot_table_entries vfs.zfs.vdev.*_active "
                    "vfs.zfs.vdev.max_pending vfs.zfs.vdev.min_pending vfs.zfs.vdev.aggregation_limit vfs.zfs.vdev.cache.size "
                    "vfs.zfs.vdev.cache_size kern.geom.raid.* kern.cam.ada.write_cache kern.cam.da.default_softtimeout"
                ),
                "scheduling of processes": (
                    "kernel.sched_min_granularity_ns kernel.sched_wakeup_granularity_ns kernel.sched_migration_cost_ns "
                    "kernel.sched_autogroup_enabled"
                ),
                _AHEAD: "vfs.read_max vfs.zfs.prefetch_disable vfs.zfs.prefetch.disable",
                _FLUSH: (
                    "vfs.zfs.cache_flush_disable vfs.zfs.zil_disable vfs.zfs.zil_nocacheflush vfs.zfs.nocacheflush "
                    "vfs.zfs.bio_flush_disable vfs.zfs.zil_slog_bulk kern.cam.*.write_cache hw.ata.wc hw.ata.tags"
                ),
                _CACHES: (
                    "vfs.zfs.l2arc_write_max vfs.zfs.l2arc_write_boost vfs.zfs.l2arc_noprefetch vfs.zfs.l2arc.write_max "
                    "vfs.zfs.l2arc.write_boost vfs.zfs.l2arc.noprefetch"
                ),
                _SPACE: "vfs.zfs.trim.enabled vfs.zfs.min_auto_ashift vfs.zfs.max_auto_ashift",
            },
            is_bulk=True,
            sizes=(
                "vm.dirty_bytes vm.dirty_background_bytes net.core.rmem_max net.core.wmem_max net.core.rmem_default "
                "net.core.wmem_default vfs.zfs.arc_max vfs.zfs.arc_min vfs.zfs.arc.max vfs.zfs.arc.min vfs.zfs.arc_meta_limit "
                "vfs.zfs.arc.meta_limit vfs.zfs.dirty_data_max vfs.zfs.write_limit_override vfs.zfs.vdev.aggregation_limit "
                "vfs.zfs.vdev.cache.size vfs.zfs.vdev.cache_size vfs.zfs.zil_slog_bulk vfs.zfs.l2arc_write_max "
                "vfs.zfs.l2arc_write_boost vfs.zfs.l2arc.write_max vfs.zfs.l2arc.write_boost vfs.hirunningspace "
                "vfs.lorunningspace vfs.ufs.dirhash_maxmem kern.ipc.maxsockbuf net.inet.tcp.sendspace net.inet.tcp.recvspace"
            ),
            never=(
                "kernel.hostname kernel.domainname kernel.sysrq kernel.core_pattern kernel.core_uses_pid kernel.printk "
                "kernel.dmesg_restrict kernel.kptr_restrict kernel.panic kernel.panic_on_oops kernel.panic_on_unrecovered_nmi "
                "vm.drop_caches vm.compact_memory vm.stat_refresh fs.suid_dumpable fs.protected_hardlinks fs.protected_symlinks "
                "kern.hostname kern.coredump security.bsd.see_other_uids security.bsd.see_other_gids net.ipv4.ip_forward "
                "net.inet.ip.forwarding"
            ),
        ),
        Namespace(
            "module",
            "Kernel module",
            "zfs(4), spl(4), modinfo(8)",
            {
                _MEMORY: (
                    "zfs.zfs_arc_max zfs.zfs_arc_min zfs.zfs_arc_meta_limit zfs.zfs_arc_dnode_limit zfs.zfs_arc_meta_min "
                    "zfs.zfs_arc_meta_limit_percent zfs.zfs_arc_meta_balance zfs.zfs_arc_sys_free "
                    "zfs.zfs_compressed_arc_enabled zfs.zfs_abd_scatter_enabled zfs.dbuf_cache_max_bytes zfs.dbuf_cache_shift "
                    "zfs.zfs_dbuf_*"
                ),
                _AHEAD: "zfs.zfs_prefetch_disable zfs.zfetch_*",
                _FLUSH: (
                    "zfs.zfs_nocacheflush zfs.zil_nocacheflush zfs.zil_slog_bulk zfs.zil_slog_limit zfs.zil_replay_disable "
                    "zfs.zil_maxblocksize zfs.zil_maxcopied zfs.zfs_immediate_write_sz zfs.zfs_commit_timeout_pct "
                    "zfs.zfs_commit_timeout"
                ),
                _DELAY: "zfs.zfs_txg_timeout zfs.zfs_dirty_data_* zfs.zfs_delay_*",
                _QUEUE: (
                    "zfs.zfs_vdev_*_active zfs.zfs_vdev_max_active zfs.zfs_vdev_queue_depth_pct zfs.zfs_vdev_aggregation_* "
                    "zfs.zfs_vdev_*_gap_limit zfs.zfs_vdev_scheduler zfs.zfs_vdev_async_write_active_* "
                    "zfs.zfs_vdev_max_pending zfs.zfs_vdev_min_pending zfs.zio_taskq_* zfs.zio_dva_throttle_enabled "
                    "zfs.zfs_sync_taskq_batch_pct zfs.zvol_threads zfs.zvol_request_sync zfs.zvol_prefetch_bytes "
                    "zfs.zvol_*_taskqs spl.spl_taskq_* spl.spl_kmem_cache_* nvme.poll_queues nvme.write_queues "
                    "nvme.use_threaded_interrupts scsi_mod.use_blk_mq dm_mod.use_blk_mq nvme_core.multipath "
                    "mpt3sas.max_queue_depth"
                ),
                _CACHES: (
                    "zfs.zfs_vdev_cache_* zfs.zfs_vdev_disk_classic zfs.zfs_vdev_direct_write_verify zfs.l2arc_write_* "
                    "zfs.l2arc_noprefetch zfs.l2arc_headroom* zfs.l2arc_norw zfs.l2arc_feed_* zfs.l2arc_mfuonly "
                    "zfs.l2arc_meta_percent zfs.zfs_dio_enabled"
                ),
                _CHECKS: (
                    "zfs.zfs_vdev_raidz_impl zfs.zfs_fletcher_*_impl zfs.icp_*_impl zfs.zfs_recompress_* zfs.zstd_* "
                    "zfs.zfs_max_recordsize"
                ),
                _SPACE: "zfs.metaslab_* zfs.zfs_metaslab_* zfs.zfs_mg_* zfs.spa_slop_shift",
                _TRANSFER: "ksocklnd.* ko2iblnd.* lnet.*",
            },
            is_bulk=True,
            sizes=(
                "zfs.zfs_arc_max zfs.zfs_arc_min zfs.zfs_arc_meta_limit zfs.zfs_arc_dnode_limit zfs.zfs_arc_meta_min "
                "zfs.zfs_arc_sys_free zfs.dbuf_cache_max_bytes zfs.zfs_dirty_data_max zfs.zfs_dirty_data_max_max "
                "zfs.zil_slog_bulk zfs.zil_slog_limit zfs.zil_maxblocksize zfs.zil_maxcopied zfs.zfs_immediate_write_sz "
                "zfs.zfs_vdev_aggregation_limit zfs.zfs_vdev_aggregation_limit_non_rotating zfs.zfs_vdev_read_gap_limit "
                "zfs.zfs_vdev_write_gap_limit zfs.zfs_vdev_cache_size zfs.zfs_vdev_cache_max zfs.zfs_max_recordsize "
                "zfs.zfetch_max_distance zfs.zvol_prefetch_bytes zfs.l2arc_write_max zfs.l2arc_write_boost"
            ),
        ),
        Namespace(
            "system",
            "System setting",
            "system(4) of SunOS, tuned(8), cpupower(1), Linux Documentation/admin-guide/kernel-parameters",
            {"someone set it: only such settings are recorded here": "*"},
        ),
        Namespace("state", "State before the run", "ingest/state.py", {}),
        Namespace("machine", "Machine", "machine-id(5), dmidecode(8), smartctl(8)", {}),
        Namespace("x", "Custom key", "docs/manifest.md", {"the uploader distinguishes runs by it": "*"}),
    )
}
OF_FILE_SYSTEMS = ("zfs.", "zpool.", "mount.", "btrfs.", "ext4.", "xfs.", "lustre.")
"""Prefixes of what describes a file system or pool."""
MEMORY_LIMIT = "system.memory_limit"
"""The memory in bytes that a control group leaves to the run, cached files included."""
OF_MACHINES = ("block.", "raid.", "sysctl.", "module.", "system.", "machine.")
"""Prefixes of what describes one machine."""
_NAME = lazy(r"[a-z][a-z0-9]*\.[A-Za-z0-9_][\w@:.+*/-]{0,150}\Z")


@cache
def _identity_pattern(namespace: str) -> re.Pattern[str]:
    names = " ".join(NAMESPACES[namespace].identity.values()).split()
    return re.compile("|".join(map(translate, names)) or r"(?!)")


@cache
def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@lru_cache(20_000)
def namespace_of(key: str) -> Namespace | None:
    """The namespace of an open key; None of any other text."""
    return NAMESPACES.get(key.partition(".")[0]) if _NAME.match(key) else None


@lru_cache(20_000)
def is_identity(key: str) -> bool:
    """Whether the open key is on the allow list of its namespace."""
    namespace = namespace_of(key)
    return namespace is not None and _identity_pattern(namespace.name).match(key.partition(".")[2]) is not None


@lru_cache(20_000)
def may_be_chosen(key: str) -> bool:
    """Whether the open key is part of the identity where a person set it."""
    namespace, _, name = key.partition(".")
    space = NAMESPACES[namespace] if namespace_of(key) else None
    if space is None or not space.identity or name in _words(space.never):
        return False
    return not (namespace in ("zfs", "zpool") and ":" in name)


@lru_cache(20_000)
def is_bulk(key: str) -> bool:
    """Whether the open key belongs to a namespace of dozens and is not part of the identity."""
    namespace = namespace_of(key)
    return namespace is not None and namespace.is_bulk and not is_identity(key)


@lru_cache(20_000)
def is_size(key: str) -> bool:
    """Whether the values of the open key are sizes in bytes."""
    namespace = namespace_of(key)
    return namespace is not None and key.partition(".")[2] in _words(namespace.sizes)


def spell_open_value(key: str, printed: Any) -> Any:
    """A value as it is stored: sizes in bytes, whole numbers as int, states of features `on` or `off`, other texts with single
    blanks; of ZFS and mount in lower case. None of an empty text, or one of more than `MAX_LENGTH` characters.
    """
    if isinstance(printed, bool):
        return "on" if printed else "off"
    if isinstance(printed, int):
        return printed
    text = " ".join(str(printed).split())
    if not text or text == "-" or len(text) > MAX_LENGTH:
        return None
    namespace, _, name = key.partition(".")
    if namespace == "zpool" and name.startswith("feature@"):
        return "off" if text.lower() == "disabled" else "on" if text.lower() in ("enabled", "active", "on") else text.lower()
    space = NAMESPACES.get(namespace)
    if space is not None and name in _words(space.sizes) and (size := normalise.parse_size(text)) is not None:
        return size
    if text.isascii() and text.isdecimal() and len(text) <= 18 and (len(text) == 1 or text[0] != "0"):
        return int(text)
    return text.lower() if namespace in ("zfs", "zpool", "mount", "raid") else text
