"""Campaigns: a grid of scenario keys times seeds, resumable after any interruption.

`grid` defines the scenarios and `precision` the number of seeds for each; `local` and `cluster` do
the missing runs; `store` stores each finished run; `tables` makes the tables when all runs are
done. `sweep` combines them, `result` and `figure` present the result.
"""
