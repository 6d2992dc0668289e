"""What a test-bed refuses."""


class TestbedError(Exception):
    """The scenario cannot be run here, or something is missing. The message is one line."""

    __test__ = False  # no test, although pytest would collect the name
