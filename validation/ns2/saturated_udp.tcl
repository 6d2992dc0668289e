# n stations that always have a UDP datagram to send to their access point, for ns-2.35.
#
#   ns saturated_udp.tcl stations=10 seed=1 rts_threshold=0
#
# No routing protocol and no wired part: sizes are plain, and the sinks sit on the access point.
# One line of JSON goes to standard output (ns adds lines of its own before it).

# ---- options: key=value, defaults below -----------------------------------------------------
array set par {
    stations 10       seed 1             warmup 5.0         duration 60.0
    ip_bytes 1500     offered 16e6       queue 50           distance 3.0
    data_rate 11Mb    basic_rate 2Mb     plcp_rate 1Mb      preamble_bits 144  plcp_bits 48
    rts_threshold 3000
}
foreach word $argv {
    set cut [string first = $word]
    set key [string range $word 0 [expr {$cut - 1}]]
    if {$cut < 1 || ![info exists par($key)]} {
        puts stderr "saturated_udp.tcl: '$word': expected key=value, with a key out of: [lsort [array names par]]"
        exit 2
    }
    set par($key) [string range $word [expr {$cut + 1}] end]
}
foreach {field key} {
    dataRate_ data_rate  basicRate_ basic_rate  PLCPDataRate_ plcp_rate
    PreambleLength_ preamble_bits  PLCPHeaderLength_ plcp_bits  RTSThreshold_ rts_threshold
} { Mac/802_11 set $field $par($key) }

# The first second is for ARP; then the warm-up; then the measurement.
set begin [expr {1.0 + $par(warmup)}]

# ---- frames on the air: the MAC trace goes through awk, which counts what is sent from $begin on
set count_frames {
    $1 == "s" && $4 == "MAC" && $2 >= begin { sent[$7]++ }
    END { printf "{\"rts\": %d, \"cts\": %d, \"data\": %d, \"ack\": %d}\n",
                 sent["RTS"], sent["CTS"], sent["cbr"], sent["ACK"] }
}
set counter [open [list | awk -v begin=$begin $count_frames] r+]

# ---- the world ------------------------------------------------------------------------------
set ns [new Simulator]
ns-random $par(seed)
$ns trace-all $counter
set ground [new Topography]
$ground load_flatgrid 100 100
create-god [expr {$par(stations) + 1}]
$ns node-config -adhocRouting DumbAgent \
    -llType LL -macType Mac/802_11 -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -propType Propagation/TwoRayGround -antType Antenna/OmniAntenna \
    -ifqType Queue/DropTail/PriQueue -ifqLen $par(queue) \
    -agentTrace OFF -routerTrace OFF -macTrace ON

proc place {node x y} {
    $node random-motion 0
    foreach {axis v} [list X_ $x Y_ $y Z_ 0] { $node set $axis $v }
}
set ap [$ns node]
place $ap 50 50
for {set i 1} {$i <= $par(stations)} {incr i} {
    set station [$ns node]
    set angle [expr {8 * atan(1) * $i / $par(stations)}]
    place $station [expr {50 + $par(distance) * cos($angle)}] \
        [expr {50 + $par(distance) * sin($angle)}]

    # The UDP agent would cut datagrams longer than its own packetSize_.
    set udp [new Agent/UDP]
    $udp set packetSize_ [expr {2 * $par(ip_bytes)}]
    $udp set fid_ $i
    set sink($i) [new Agent/LossMonitor]
    $ns attach-agent $station $udp
    $ns attach-agent $ap $sink($i)
    $ns connect $udp $sink($i)

    set traffic [new Application/Traffic/CBR]
    foreach {field v} [list packetSize_ $par(ip_bytes) \
        rate_ [expr {$par(offered) / $par(stations)}] random_ 1] { $traffic set $field $v }
    $traffic attach-agent $udp
    # Apart from each other, so that the ARP exchanges do not collide.
    $ns at [expr {0.2 + 0.7 * $i / $par(stations)}] "$traffic start"
}

# ---- measuring ------------------------------------------------------------------------------
proc received {} {
    set out {}
    for {set i 1} {$i <= $::par(stations)} {incr i} { lappend out [$::sink($i) set bytes_] }
    return $out
}
proc report {} {
    set rates {}
    foreach then $::at_begin now [received] {
        lappend rates [format %.6f [expr {($now - $then) * 8 / $::par(duration) / 1e6}]]
    }
    $::ns flush-trace
    close $::counter write
    puts "{\"throughput_mbps\": \[[join $rates {, }]\], \"frames_sent\": [gets $::counter]}"
    exit 0
}
$ns at $begin { set at_begin [received] }
$ns at [expr {$begin + $par(duration)}] report
$ns run
