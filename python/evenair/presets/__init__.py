"""Tests under load: flent's flows in the cell of a scenario, what they measure, and flent's files.

`mixes` has the tests, `prepared` puts one into a cell, `samples` reads its series from a result,
and `flent_file` writes them as flent does.
"""
