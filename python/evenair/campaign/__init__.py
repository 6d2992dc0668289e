"""Campaigns: a grid of scenario keys times seeds, that survives whatever interrupts it.

`grid` says which scenarios there are, `plan` which seeds each of them needs, `local` and `cluster`
run what is missing, `store` keeps each finished run, and `output` writes the tables once everything
is there. `sweep` puts them together; `result` and `figure` are what users get, `command` is what
they type.
"""
