"""Readers of numbers over time: one module a tool."""
