# TCP over one 802.11b cell, for ns-2.35 (Debian package ns2).
#
#   ns cell_tcp.tcl up=5 down=5 buffer=60 seed=1
#
#   server ---- wired link ---- access point  ))) (((  stations 1..up+down
#
# Station i carries flow i: flows 1..up send to the server, the others receive from it.
# One line of JSON goes to standard output (ns adds lines of its own before it).
# README.md tells the quantities; rerun.py runs this file for the stored rows.

source [file join [file dirname [info script]] common.tcl]
options {
    up 5              down 5             buffer 60
    start 10.0        stagger 0.1        duration 300.0     warmup 20.0
    window 20         payload 1460       agent Newreno      segments_per_ack 2
    ack_timer 0.1     min_rto 0.2        rto_tick 0.01      precise_halving 1
    wired_rate 100Mb  wired_delay 2ms    station_buffer 1000
    routing_period 100000                sample 0.1         cwnd_trace 0
}
set flows [expr {$par(up) + $par(down)}]
proc is_up {flow} { expr {$flow <= $::par(up)} }

# ---- the world ------------------------------------------------------------------------------
simulator
# Agent classes know their defaults only after a Simulator exists.
Agent/TCP set minrto_ $par(min_rto)
Agent/TCP set tcpTick_ $par(rto_tick)
Agent/TCP set precisionReduce_ $par(precise_halving)

wired_domain 1 [expr {$flows + 1}]
set server [$ns node 0.0.0]
radio [expr {$flows + 1}] -adhocRouting DSDV -wiredRouting ON -ifqLen $par(buffer)
set ap [$ns node 1.0.0]
place $ap 50 50

$ns node-config -wiredRouting OFF -ifqLen $par(station_buffer)
for {set f 1} {$f <= $flows} {incr f} {
    set station($f) [$ns node 1.0.$f]
    $station($f) base-station [AddrParams addr2id [$ap node-addr]]
    place_on_circle $station($f) $f $flows
}
wire $server $ap $par(wired_rate) $par(wired_delay)

# ---- what the access point's queue does -----------------------------------------------------
# The link layer hands packets to the interface queue, the queue to the MAC. Snoop objects stand
# before, behind and at the drop exit; a flow monitor counts for each flow id (0 = ARP, routing).
set watch [$ns makeflowmon Fid]
proc snoop {kind target} {
    set s [new SnoopQueue/$kind]
    $s set-monitor $::watch
    $s target $target
    return $s
}
set queue [$ap set ifq_(0)]
[$ap set ll_(0)] down-target [snoop In $queue]
$queue target [snoop Out [$ap set mac_(0)]]
$queue drop-target [snoop Drop [new Agent/Null]]

# List of: data waiting, arrived, dropped; ACKs waiting, arrived, dropped.
# In the AP's queue an upload is present by its ACKs, a download by its data.
proc queue_counts {} {
    array set sum {data,pkts_ 0 data,parrivals_ 0 data,pdrops_ 0 ack,pkts_ 0 ack,parrivals_ 0 ack,pdrops_ 0}
    foreach flow [$::watch flows] {
        set id [$flow set flowid_]
        if {$id == 0} continue
        set what [expr {[is_up $id] ? "ack" : "data"}]
        foreach field {pkts_ parrivals_ pdrops_} { incr sum($what,$field) [$flow set $field] }
    }
    set out {}
    foreach what {data ack} {
        foreach field {pkts_ parrivals_ pdrops_} { lappend out $sum($what,$field) }
    }
    return $out
}

# ---- flows ----------------------------------------------------------------------------------
for {set f 1} {$f <= $flows} {incr f} {
    set source($f) [new Agent/TCP/$par(agent)]
    foreach {field v} [list packetSize_ $par(payload) window_ $par(window) fid_ $f] {
        $source($f) set $field $v
    }
    if {$par(segments_per_ack) == 1} {
        set sink [new Agent/TCPSink]
    } else {
        set sink [new Agent/TCPSink/DelAck]
        $sink set interval_ $par(ack_timer)
    }
    $sink set fid_ $f
    set ends [list $server $station($f)]
    if {[is_up $f]} { set ends [lreverse $ends] }
    $ns attach-agent [lindex $ends 0] $source($f)
    $ns attach-agent [lindex $ends 1] $sink
    $ns connect $source($f) $sink
    set bulk [new Application/FTP]
    $bulk attach-agent $source($f)
    $ns at [expr {$par(start) + $par(stagger) * $f}] "$bulk start"
}

# ---- measuring ------------------------------------------------------------------------------
# Segment 0 is the SYN, so the highest acknowledged number is the count of payload segments.
proc acknowledged {} {
    set out {}
    for {set f 1} {$f <= $::flows} {incr f} {
        set n [$::source($f) set ack_]
        lappend out [expr {$n > 0 ? $n : 0}]
    }
    return $out
}
proc sender_counts {field} {
    set out {}
    for {set f 1} {$f <= $::flows} {incr f} { lappend out [$::source($f) set $field] }
    return $out
}
array set waiting {samples 0 data 0 ack 0}
proc sample_queue {} {
    lassign [queue_counts] data - - ack
    incr ::waiting(samples)
    incr ::waiting(data) $data
    incr ::waiting(ack) $ack
    $::ns at [expr {[$::ns now] + $::par(sample)}] sample_queue
}
set cwnd_rows {}
proc sample_cwnd {} {
    lassign [queue_counts] data - - ack
    lappend ::cwnd_rows "\[[format %.3f [expr {[$::ns now] - $::par(start)}]], $ack, $data, [join [sender_counts cwnd_] {, }]\]"
    $::ns at [expr {[$::ns now] + $::par(cwnd_trace)}] sample_cwnd
}
proc goodputs {from to seconds} {
    set out {}
    foreach a $from b $to {
        lappend out [format %.6f [expr {($b - $a) * $::par(payload) * 8 / $seconds / 1e6}]]
    }
    return $out
}
proc report {} {
    global par waiting
    set last [acknowledged]
    foreach name {data_waiting data_arrivals data_drops ack_waiting ack_arrivals ack_drops} \
        now [queue_counts] then $::queue_after_warmup { set q($name) [expr {$now - $then}] }
    foreach {name numbers} [list \
        goodput_mbps [goodputs $::acked_at_start $last $par(duration)] \
        goodput_after_warmup_mbps [goodputs $::acked_after_warmup $last [expr {$par(duration) - $par(warmup)}]] \
        retransmissions [sender_counts nrexmitpack_] \
        segments_sent [sender_counts ndatapack_]] {
        lappend fields "\"$name\": \[[join $numbers {, }]\]"
    }
    foreach name {data_arrivals data_drops ack_arrivals ack_drops} {
        lappend fields "\"ap_queue_$name\": $q($name)"
    }
    foreach what {data ack} {
        lappend fields "\"ap_queue_mean_waiting_$what\": [expr {double($waiting($what)) / max(1, $waiting(samples))}]"
    }
    if {[llength $::cwnd_rows]} { lappend fields "\"cwnd_trace\": \[[join $::cwnd_rows {, }]\]" }
    puts "{[join $fields {, }]}"
    exit 0
}
$ns at $par(start) { set acked_at_start [acknowledged] }
$ns at [expr {$par(start) + $par(warmup)}] {
    set acked_after_warmup [acknowledged]
    set queue_after_warmup [queue_counts]
    sample_queue
}
if {$par(cwnd_trace) > 0} { $ns at $par(start) sample_cwnd }
$ns at [expr {$par(start) + $par(duration)}] report
$ns run
