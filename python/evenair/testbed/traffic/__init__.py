"""The traffic of a test-bed.

`iperf` has the commands of iperf3, `web` and `datagrams` are programs that run in the namespaces,
with the random numbers of `draws`; `programs` starts and stops them all.
"""
