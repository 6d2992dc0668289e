# n persistent downloads from the access point itself, with RTS/CTS, for ns-2.35.
#
#   ns downloads.tcl connections=10 window=1 distance=30 seed=1
#
# No routing protocol and no wired part: sizes are plain, and the senders sit on the access point.
# One line of JSON goes to standard output (ns adds lines of its own before it).
# README.md tells the quantities; rerun.py runs this file for the stored rows.

source [file join [file dirname [info script]] common.tcl]
options {
    connections 10    window 1           payload 1000       preamble_bits 144  rts_threshold 0
    agent Newreno     segments_per_ack 1                    ack_timer 0.04
    start 1.0         stagger 0.05       warmup 20.0        duration 80.0      buffer 1000000
}
set begin [expr {$par(start) + $par(warmup)}]

# ---- the world ------------------------------------------------------------------------------
set counter [frame_counter $begin]
simulator $counter
radio [expr {$par(connections) + 1}] -adhocRouting DumbAgent -ifqLen $par(buffer) -macTrace ON
set ap [$ns node]
place $ap 50 50
for {set i 1} {$i <= $par(connections)} {incr i} {
    set station($i) [$ns node]
    place_on_circle $station($i) $i $par(connections)
}

# ---- flows ----------------------------------------------------------------------------------
# FullTcp counts bytes, and acknowledges every d-th segment for any d; the other agents count
# segments, and their receivers acknowledge each segment or every second one.
set full [expr {$par(agent) eq "FullTcp"}]
proc full_tcp {} {
    global par
    set agent [new Agent/TCP/FullTcp]
    foreach {field key} {
        segsize_ payload  window_ window  segsperack_ segments_per_ack  interval_ ack_timer
        windowInit_ segments_per_ack
    } { $agent set $field $par($key) }
    return $agent
}
proc receiver {} {
    global par
    switch $par(segments_per_ack) {
        1 { return [new Agent/TCPSink] }
        2 {
            set sink [new Agent/TCPSink/DelAck]
            $sink set interval_ $par(ack_timer)
            return $sink
        }
        default {
            puts stderr "downloads.tcl: segments_per_ack=$par(segments_per_ack) needs agent=FullTcp"
            exit 2
        }
    }
}
for {set i 1} {$i <= $par(connections)} {incr i} {
    if {$full} {
        set source($i) [full_tcp]
        set sink [full_tcp]
    } else {
        set source($i) [new Agent/TCP/$par(agent)]
        $source($i) set packetSize_ $par(payload)
        $source($i) set window_ $par(window)
        set sink [receiver]
    }
    $ns attach-agent $ap $source($i)
    $ns attach-agent $station($i) $sink
    $ns connect $source($i) $sink
    if {$full} { $sink listen }
    set bulk [new Application/FTP]
    $bulk attach-agent $source($i)
    $ns at [expr {$par(start) + $par(stagger) * $i}] "$bulk start"
}

# ---- measuring ------------------------------------------------------------------------------
proc sender_counts {field} {
    set out {}
    for {set i 1} {$i <= $::par(connections)} {incr i} { lappend out [$::source($i) set $field] }
    return $out
}
proc report {} {
    global par full
    set rates {}
    foreach then $::acked_at_begin now [sender_counts ack_] {
        set bytes [expr {($now - $then) * ($full ? 1 : $par(payload))}]
        lappend rates [format %.6f [expr {$bytes * 8 / $par(duration) / 1e6}]]
    }
    lappend fields "\"throughput_mbps\": \[[join $rates {, }]\]"
    lappend fields "\"retransmissions\": \[[join [sender_counts nrexmitpack_] {, }]\]"
    lappend fields "\"frames_sent\": [frames_counted $::counter]"
    puts "{[join $fields {, }]}"
    exit 0
}
$ns at $begin { set acked_at_begin [sender_counts ack_] }
$ns at [expr {$begin + $par(duration)}] report
$ns run
