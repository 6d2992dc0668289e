"""Text that users read and write.

`labels` has the words and units of metrics and keys, `cells` numbers in tables, `messages` phrases
of errors, `markup` HTML for notebooks; `axis` reads a key with several values, `toml` writes a
scenario.
"""
