"""What a test-bed uses of Linux.

`namespaces` makes and removes network namespaces, `processes` starts programs that end with the
test-bed, `tcp_info` reads connections from the kernel.
"""
