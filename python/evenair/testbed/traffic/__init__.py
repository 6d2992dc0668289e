"""The traffic of a test-bed.

`iperf` has the commands of iperf3. `sessions` and `datagrams` are programs for the other
applications, with `application` in common; `programs` watches them all.
"""
