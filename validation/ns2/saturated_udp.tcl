# n stations that always have a UDP datagram to send to their access point, for ns-2.35.
#
#   ns saturated_udp.tcl stations=10 seed=1 rts_threshold=0
#
# No routing protocol and no wired part: sizes are plain, and the sinks sit on the access point.
# One line of JSON goes to standard output (ns adds lines of its own before it).

source [file join [file dirname [info script]] common.tcl]
options {
    stations 10       warmup 5.0         duration 60.0      preamble_bits 144
    ip_bytes 1500     offered 16e6       queue 50           rates {}
}
# Data rates of stations 1, 2, ...; `data_rate` where the list has none.
set rates [split $par(rates) ,]

# The first second is for ARP; then the warm-up; then the measurement.
set begin [expr {1.0 + $par(warmup)}]

# ---- the world ------------------------------------------------------------------------------
set counter [frame_counter $begin]
simulator $counter
radio [expr {$par(stations) + 1}] -adhocRouting DumbAgent -ifqLen $par(queue) -macTrace ON
set ap [$ns node]
place $ap 50 50
for {set i 1} {$i <= $par(stations)} {incr i} {
    set station [$ns node]
    place_on_circle $station $i $par(stations)
    if {$i <= [llength $rates]} { [$station set mac_(0)] set dataRate_ [lindex $rates $i-1] }

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
    puts "{\"throughput_mbps\": \[[join $rates {, }]\], \"frames_sent\": [frames_counted $::counter]}"
    exit 0
}
$ns at $begin { set at_begin [received] }
$ns at [expr {$begin + $par(duration)}] report
$ns run
