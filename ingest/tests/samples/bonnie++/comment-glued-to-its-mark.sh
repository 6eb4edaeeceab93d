#!/bin/sh
# before the controller was changed:
#Version  1.97       ------Sequential Output------ --Sequential Input- --Random-
#Concurrency   1     -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
#Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP
#vault           16G   412  98 88214  11 60112   9  1877  96 190021  14 410.2  12
#Latency             18211us     811ms     402ms   12077us   81023us     144ms
#Version  1.97       ------Sequential Create------ --------Random Create--------
#vault               -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--
#              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
#                 16  9120  33 +++++ +++ 12044  40  9871  35 +++++ +++ 13011  44
#Latency               702us     511us     844us     377us      41us     908us
sh ./run.sh
