#include <stdio.h>

//IOR-3.3.0: MPI Coordinated Test of Parallel I/O
//Began               : Tue Mar  2 10:11:12 2021
//Command line        : ior -w -r -t 1m -b 16m -o /scratch/t
//Machine             : Linux node12
//
//Options:
//api                 : POSIX
//test filename       : /scratch/t
//access              : single-shared-file
//segments            : 1
//nodes               : 1
//tasks               : 4
//clients per node    : 4
//repetitions         : 1
//xfersize            : 1 MiB
//blocksize           : 16 MiB
//aggregate filesize  : 64 MiB
//
//Results:
//
//access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
//------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
//write     812.40     813.22     0.004868    16384      1024.00    0.001203   0.078702   0.000973   0.078779   0
//read      1495.76    1499.33    0.002631    16384      1024.00    0.000838   0.042685   0.000107   0.042787   0
//remove    -          -          -           -          -          -          -          -          0.006066   0
//Max Write: 812.40 MiB/sec (851.87 MB/sec)
//Max Read:  1495.76 MiB/sec (1568.42 MB/sec)

int main(void) { return 0; }
