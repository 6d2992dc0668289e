"""The models of `evenair model` and `models.evaluate`, by name.

`catalogue` has their keys and results, `query` reads arguments, `answer` evaluates one; `defaults`,
`text` and `figure` describe a model and draw its results, and `call` is the interface of Python.
"""
