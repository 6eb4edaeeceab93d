#!/usr/bin/awk -f
# what is read here looks like this:



#access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
#------    ---------  ---------- ---------  --------   --------   --------   --------   ----
#write     842.11     256.00     256.00     0.001201   0.008112   0.000020   0.009333   0   
#read      95.40      256.00     256.00     0.000501   0.106122   0.000099   0.106722   0   
#remove    -          -          -          -          -          -          0.004711   0   

#Max Write: 842.11 MiB/sec (883.02 MB/sec)
#Max Read:  95.40 MiB/sec (100.03 MB/sec)

#Summary of all tests:
#Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev    Mean(s) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize aggsize API RefNum
#write         842.11     842.11     842.11       0.00    0.00933 0 1 1 1 1 1 1 0 0 32 262144 262144 8388608 POSIX 0
#read           95.40      95.40      95.40       0.00    0.10672 0 1 1 1 1 1 1 0 0 32 262144 262144 8388608 POSIX 0
/^(write|read) / { print $1, $2 }
