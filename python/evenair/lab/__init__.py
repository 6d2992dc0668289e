"""The lab's server: its page, and the native engine behind it, on a loopback address.

`serve` opens the socket and runs the server until a signal. `app` has the requests, `access` who
may make them, `page` the files of the page, `engine` runs, `campaigns` the sweeps of the page, and
`follow` what else is running on this machine: a sweep, a test-bed, a gateway daemon.
"""
