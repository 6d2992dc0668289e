# TCP, or UDP that never runs dry, over one 802.11b cell, for ns-2.35 (Debian package ns2).
#
#   ns cell.tcl up=5 down=5 buffer=60 duration=300 seed=1
#   ns cell.tcl mode=udp stations=50 duration=30 seed=1
#
# The cells of validation/ns2 without their traces, monitors and samplers: only what the simulation
# needs, so that ns-2 is timed at its best. A line of JSON goes to standard output.

source [file join [file dirname [info script]] common.tcl]
options {
    mode tcp          up 5              down 5             stations 10        buffer 60
    station_buffer {} stagger 0.1       window 20          segment 1460       ip_bytes 1500
    offered 16e6      preamble_bits 72  distance 3.0
}
set tcp [expr {$par(mode) eq "tcp"}]
set stations [expr {$tcp ? $par(up) + $par(down) : $par(stations)}]
if {$par(station_buffer) eq ""} { set par(station_buffer) [expr {$tcp ? 1000 : 50}] }

# ---- the world ------------------------------------------------------------------------------
radio [expr {$stations + 1}] 2Mb $par(preamble_bits) 3000
$ns node-config -ifqLen $par(buffer)
if {$tcp} {
    Agent/TCP set minrto_ 0.2
    Agent/TCP set tcpTick_ 0.01
    # A wired host behind the access point.
    wired_domain 1 [expr {$stations + 1}]
    set server [$ns node 0.0.0]
    $ns node-config -adhocRouting DSDV -wiredRouting ON
} else {
    $ns node-config -adhocRouting DumbAgent
}

set ap [expr {$tcp ? [$ns node 1.0.0] : [$ns node]}]
place $ap 50 50
$ns node-config -ifqLen $par(station_buffer)
if {$tcp} { $ns node-config -wiredRouting OFF }
for {set i 1} {$i <= $stations} {incr i} {
    set station($i) [expr {$tcp ? [$ns node 1.0.$i] : [$ns node]}]
    if {$tcp} { $station($i) base-station [AddrParams addr2id [$ap node-addr]] }
    place_on_circle $station($i) $i $stations $par(distance)
}

# ---- traffic --------------------------------------------------------------------------------
# Before it, ns-2 needs ten seconds for its routes; where there are none, each station sends one
# packet over the quiet air for ARP's sake: in a saturated cell requests get lost for ever.
set start [expr {$tcp ? 10.0 : 1.0 + 0.01 * $stations}]
if {$tcp} {
    # The link between server and access point would write all its packets into it.
    $ns trace-all ""
    wire $server $ap 100Mb 2ms
    for {set i 1} {$i <= $stations} {incr i} {
        set source($i) [new Agent/TCP/Newreno]
        foreach {field value} [list packetSize_ $par(segment) window_ $par(window) fid_ $i] {
            $source($i) set $field $value
        }
        set sink [new Agent/TCPSink/DelAck]
        $sink set interval_ 0.1
        $sink set fid_ $i
        set ends [list $server $station($i)]
        if {$i <= $par(up)} { set ends [lreverse $ends] }
        $ns attach-agent [lindex $ends 0] $source($i)
        $ns attach-agent [lindex $ends 1] $sink
        $ns connect $source($i) $sink
        set bulk [new Application/FTP]
        $bulk attach-agent $source($i)
        $ns at [expr {$start + $par(stagger) * ($i - 1)}] "$bulk start"
    }
} else {
    for {set i 1} {$i <= $stations} {incr i} {
        set udp [new Agent/UDP]
        $udp set packetSize_ [expr {2 * $par(ip_bytes)}]
        $udp set fid_ $i
        set sink($i) [new Agent/LossMonitor]
        $ns attach-agent $station($i) $udp
        $ns attach-agent $ap $sink($i)
        $ns connect $udp $sink($i)
        set constant [new Application/Traffic/CBR]
        foreach {field value} [list packetSize_ $par(ip_bytes) random_ 1 \
            rate_ [expr {$par(offered) / $stations}]] { $constant set $field $value }
        $constant attach-agent $udp
        $ns at [expr {0.01 * $i}] "$udp send 40"
        $ns at $start "$constant start"
    }
}

# ---- measuring ------------------------------------------------------------------------------
# Bytes of payload so far: segment 0 of a TCP flow is its SYN. A datagram counts 28 bytes less than
# its size, for its headers.
proc received {} {
    set out {}
    for {set i 1} {$i <= $::stations} {incr i} {
        if {$::tcp} {
            lappend out [expr {max(0, [$::source($i) set ack_]) * $::par(segment)}]
        } else {
            lappend out [expr {[$::sink($i) set bytes_] * ($::par(ip_bytes) - 28.0) / $::par(ip_bytes)}]
        }
    }
    return $out
}
proc report {} {
    set rates {}
    foreach then $::at_begin now [received] {
        lappend rates [format %.6f [expr {($now - $then) * 8 / $::par(duration) / 1e6}]]
    }
    result $rates
}
set begin [expr {$start + $par(warmup)}]
$ns at $begin { set at_begin [received] }
$ns at [expr {$begin + $par(duration)}] report
simulate
