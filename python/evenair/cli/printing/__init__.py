"""What commands print on the terminal: tables and progress bars. Imported only when they print.

`console` has what they share; the others have the tables of a command, or of a part of a result.
"""
