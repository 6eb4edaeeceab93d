#!/bin/sh
# Times of the scratch area before it was moved, kept for comparison:
#
#$ ./fdtree.bash -l 2 -d 4 -f 10 -s 8 -o /scratch/ft
#fdtree-1.0.2: starting at /scratch/ft/LEVEL0.node7.311/
#        creating/deleting 2 directory levels with 4 directories at each level
#        for a total of 21 directories
#        with 10 files of size 32KiB per directory
#        for a total of 210 files and 6720KiB
#Tue Mar  4 10:15:01 UTC 2014
#Tue Mar  4 10:15:04 UTC 2014
#DIRECTORY CREATE TIME IN, OUT, TOTAL = 0, 3, 3
#        Directory creates per second =  7
#Tue Mar  4 10:15:04 UTC 2014
#Tue Mar  4 10:15:18 UTC 2014
#FILE CREATE TIME IN, OUT, TOTAL      = 3, 17, 14
#        File creates per second      =  15
#        KiB per second               =  480
#Tue Mar  4 10:15:18 UTC 2014
#Tue Mar  4 10:15:20 UTC 2014
#FILE REMOVE TIME IN, OUT, TOTAL      = 17, 19, 2
#        File removals per second     =  105
#Tue Mar  4 10:15:20 UTC 2014
#Tue Mar  4 10:15:21 UTC 2014
#DIRECTORY REMOVE TIME IN, OUT, TOTAL = 19, 20, 1
#        Directory removals per second =  21

rsync -a /scratch/ft/ /srv/ft/
