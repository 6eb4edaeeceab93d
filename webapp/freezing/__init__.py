"""Comparisons, runs and archive tables as records that never change: made, stored, shown again, checked."""
