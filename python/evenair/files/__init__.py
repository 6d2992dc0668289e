"""Files that others may read at any time.

`atomic` makes files and folders that are either complete or not there, `parquet` tables in which
damage is noticed, `live` one in which a running command says what it does.
"""
