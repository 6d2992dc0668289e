"""The commands: each module adds the arguments of one and has the function that runs it.

`compare_output` is shared by `compare` and `against`. All are imported to build the parser, so they
import heavy libraries (rich, NumPy, pyarrow, matplotlib) only inside their functions.
"""
