"""Campaigns: a grid of scenario keys times seeds, resumable after any interruption.

`grid` defines the scenarios and `precision` the number of seeds for each; `local` and `cluster` do
the missing runs; `storage` stores each finished run and makes the tables when all runs are done.
`sweep` combines them; `result`, `figure` and `report` present the result.
"""
