"""The model of RAID-Z, mirrors and RAID: usable space, throughput and IOPS of disks in groups; measured values beside it."""
