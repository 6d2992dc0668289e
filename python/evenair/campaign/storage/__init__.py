"""What a campaign keeps: finished runs while it works, and tables when it is done.

A run is stored by its `identity`, as a `record`, in the `store`. `tables` makes the tables of the
records, and `replacement` says which tables may be replaced.
"""
