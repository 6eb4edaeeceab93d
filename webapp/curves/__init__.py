"""Curves: the numbers over time beside runs, from an address to plain figures of the kind `time`.

`address` reads and writes the query; `spans` says when runs were and `alignment` where their start lies in each series; `thinning`
keeps the extremes of many points, `bands` joins repetitions; `choosing` says which series are drawn, `drawing` makes the figures.
"""
