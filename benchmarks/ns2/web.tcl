# Web users, who think and fetch files from the access point, for ns-2.35 (Debian package ns2).
#
#   ns web.tcl users=10 window=1 duration=3000 seed=1
#
# Every packet is sent with RTS/CTS. Each file is a new connection, handshake included. Files have
# Pareto sizes with a mean of 30 KB and shape 1.5, think times are exponential with a mean of 10 s.
# The throughput printed is that of the transfers: their bytes over the time from SYN to last ACK.

source [file join [file dirname [info script]] common.tcl]
options { users 10  window 1  segment 1000 }
set start 2.0

# ---- nodes ----------------------------------------------------------------------------------
LL set delay_ 0us
radio [expr {$par(users) + 1}] 2Mb 144 0
$ns node-config -adhocRouting DumbAgent -ifqLen 100000
set ap [$ns node]
place $ap 50 50
for {set i 1} {$i <= $par(users)} {incr i} {
    set station($i) [$ns node]
    place_on_circle $station($i) $i $par(users)
}

# ---- traffic --------------------------------------------------------------------------------
set size [new RandomVariable/Pareto]
$size set avg_ 30000
$size set shape_ 1.5
set think [new RandomVariable/Exponential]
$think set avg_ 10.0

set bytes 0
set seconds 0.0
proc think {i} { $::ns at [expr {[$::ns now] + [$::think value]}] "fetch $i" }
proc fetch {i} {
    global ns par source sink began file
    # Reused agents are faster than new ones.
    $source($i) reset
    $sink($i) reset
    set began($i) [$ns now]
    set file($i) [expr {max(1, round([$::size value]))}]
    $source($i) send $file($i)
}
# ns-2 calls it when all has been acknowledged.
Agent/TCP instproc done {} {
    global ns bytes seconds file began
    set i [$self set fid_]
    incr bytes $file($i)
    set seconds [expr {$seconds + [$ns now] - $began($i)}]
    think $i
}

for {set i 1} {$i <= $par(users)} {incr i} {
    set source($i) [new Agent/TCP/Newreno]
    foreach {field value} [list packetSize_ $par(segment) window_ $par(window) \
        windowInit_ 1 minrto_ 0.2 tcpTick_ 0.01 fid_ $i] {
        $source($i) set $field $value
    }
    set sink($i) [new Agent/TCPSink]
    $ns attach-agent $ap $source($i)
    $ns attach-agent $station($i) $sink($i)
    $ns connect $source($i) $sink($i)
    # One packet beforehand, for ARP's sake.
    set hello [new Agent/UDP]
    $ns attach-agent $station($i) $hello
    set null [new Agent/Null]
    $ns attach-agent $ap $null
    $ns connect $hello $null
    $ns at [expr {0.1 * $i}] "$hello send 40"
    $ns at $start "think $i"
}

# ---- measuring ------------------------------------------------------------------------------
proc report {} {
    result [format %.6f [expr {$::seconds > 0 ? $::bytes * 8 / $::seconds / 1e6 : 0}]]
}
set begin [expr {$start + $par(warmup)}]
$ns at $begin { set bytes 0; set seconds 0.0 }
$ns at [expr {$begin + $par(duration)}] report
simulate
