# One download over 45 ms of wire and a cell with losses, for ns-2.35 (Debian package ns2).
#
#   ns download.tcl loss=1e-4 duration=300 seed=1
#   ns download.tcl congested=1 loss=0.01
#
#   server ------- access point  )))  (((  station
#
# With congested=1 the wire has a bottleneck of 23 Mb/s and 80 packets, through which on/off sources
# send 20 Mb/s each, from c1 to c2 and from c4 to c3:
#
#   server, c1, c3 --- r0 --- r1 --- access point, c2, c4

source [file join [file dirname [info script]] common.tcl]
options { congested 0  loss 1e-4  bad_state 0.05  window 100  segment 1024  buffer 100  trace 0 }
set start 10.0

# ---- nodes and links ------------------------------------------------------------------------
radio 2 1Mb 72 3000
wired_domain [expr {$par(congested) ? 7 : 1}] 2
set server [$ns node 0.0.0]
if {$par(congested)} {
    foreach {i name} {1 r0 2 r1 3 c1 4 c2 5 c3 6 c4} { set $name [$ns node 0.0.$i] }
}
$ns node-config -adhocRouting DSDV -wiredRouting ON -ifqLen $par(buffer)
set ap [$ns node 1.0.0]
place $ap 50 50
$ns node-config -wiredRouting OFF -ifqLen 1000
set station [$ns node 1.0.1]
$station base-station [AddrParams addr2id [$ap node-addr]]
place_on_circle $station 1 1

# With trace=1, ns-2's default, links write all their packets into the trace, which goes to /dev/null.
if {!$par(trace)} { $ns trace-all "" }
if {$par(congested)} {
    wire $r0 $r1 23Mb 41ms 80
    foreach {a b} [list $server $r0 $c1 $r0 $c3 $r0 $r1 $ap $r1 $c2 $r1 $c4] { wire $a $b 100Mb 2ms }
} else {
    wire $server $ap 100Mb 45ms
}

# ---- traffic --------------------------------------------------------------------------------
set source [new Agent/TCP/Newreno]
foreach {field value} [list packetSize_ $par(segment) window_ $par(window) fid_ 1] {
    $source set $field $value
}
set sink [new Agent/TCPSink]
$ns attach-agent $server $source
$ns attach-agent $station $sink
$ns connect $source $sink
set bulk [new Application/FTP]
$bulk attach-agent $source
$ns at $start "$bulk start"

# Mean periods of 500 ms and a shape of 1.5 are the defaults of this application.
proc cross_traffic {from to} {
    global ns start
    set udp [new Agent/UDP]
    $udp set packetSize_ 1500
    set null [new Agent/Null]
    $ns attach-agent $from $udp
    $ns attach-agent $to $null
    $ns connect $udp $null
    set bursts [new Application/Traffic/Pareto]
    foreach {field value} {packetSize_ 1500 rate_ 20Mb} { $bursts set $field $value }
    $bursts attach-agent $udp
    $ns at $start "$bursts start"
}
if {$par(congested)} {
    cross_traffic $c1 $c2
    cross_traffic $c4 $c3
}

# ---- losses ---------------------------------------------------------------------------------
# Two states with exponential durations; what the station receives in the bad one reaches its MAC as
# damaged. Only frames of flow 1, the data, pass the loss model. ACK frames of the MAC have flow 0 and
# bypass it, because evenair does not lose them.
proc exponential {mean} {
    set variable [new RandomVariable/Exponential]
    $variable set avg_ $mean
    return $variable
}
proc insert_losses {} {
    global par station
    set good [exponential [expr {$par(bad_state) * (1 / $par(loss) - 1)}]]
    set losses [new ErrorModel/TwoState $good [exponential $par(bad_state)] time]
    set mac [$station set mac_(0)]
    $losses target $mac
    set by_flow [new Classifier/Hash/Fid 2]
    $by_flow set default_ 0
    $by_flow install 0 $mac
    $by_flow install 1 $losses
    $by_flow set-hash auto 0 0 1 1
    [$station set netif_(0)] up-target $by_flow
}
$ns at [expr {$start - 0.1}] insert_losses

# ---- measuring ------------------------------------------------------------------------------
# Segment 0 is the SYN.
proc received {} { expr {max(0, [$::source set ack_]) * $::par(segment)} }
proc report {} {
    result [format %.6f [expr {([received] - $::at_begin) * 8 / $::par(duration) / 1e6}]]
}
set begin [expr {$start + $par(warmup)}]
$ns at $begin { set at_begin [received] }
$ns at [expr {$begin + $par(duration)}] report
simulate
