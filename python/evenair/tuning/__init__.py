"""The best setting of a scenario, found with few runs.

The method: `lattice` has the settings and their neighbours, `trials` what has been measured of
them, `race` which of them remain, `search` the whole. `measures` reads metrics and limits, `task`
what is to be found; `runs` simulates; `findings` makes the `result`; `tune` combines all.
"""
