"""Curves: the numbers over time beside runs, from an address to plain figures of the kind `time`.

`address` reads and writes the query and says which series are drawn; `run_labels` says when runs were; `points` where their start
lies in each series, keeps the extremes of many points and joins repetitions; `drawing` makes the figures.
"""
