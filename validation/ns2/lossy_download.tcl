# One download through an 802.11b cell that loses packets, for ns-2.35 (Debian package ns2).
#
#   ns lossy_download.tcl loss=0.01 seed=1
#
#   server ---- wired link ---- access point  )))  errors  (((  station
#
# With a rate for the bottleneck, two routers lie on the wire, with hosts that send datagrams on and
# off, for Pareto times, through the link between them: c1 to c2 and c4 to c3.
#
#   server, c1, c3 ---- r0 ---- bottleneck ---- r1 ---- access point, c2, c4
#
# One line of JSON goes to standard output (ns adds lines of its own before it).
# README.md tells the quantities; rerun.py runs this file for the stored rows.

# ---- options: tcp.FIELD=VALUE sets a field of the sender ------------------------------------
source [file join [file dirname [info script]] common.tcl]
set fields [options {
    start 10.0        duration 300.0     basic_rate 1Mb
    agent Newreno     window 100         payload 1024
    loss 0.001        bad_state 0.005    errors ge          level ip           drops ""
    buffer 100        wired_rate 100Mb   wired_delay 45ms   rto_sample 0
    station_buffer 1000                  routing_period 100000
    bottleneck 0      bottleneck_buffer 80                  access_delay 2ms
    cross 20Mb        cross_on 500ms     cross_off 500ms    cross_shape 1.5    cross_size 1500
} tcp]
# linux:NAME is Agent/TCP/Linux with that congestion control.
set linux [expr {[string match linux:?* $par(agent)] ? [string range $par(agent) 6 end] : ""}]

# ---- the world ------------------------------------------------------------------------------
simulator
set congested [expr {$par(bottleneck) ne "0"}]
wired_domain [expr {$congested ? 7 : 1}] 2
set server [$ns node 0.0.0]
if {$congested} {
    foreach host {r0 r1 c1 c2 c3 c4} address {1 2 3 4 5 6} { set $host [$ns node 0.0.$address] }
}

radio 2 -adhocRouting DSDV -wiredRouting ON -ifqLen $par(buffer)
set ap [$ns node 1.0.0]
place $ap 50 50
$ns node-config -wiredRouting OFF -ifqLen $par(station_buffer)
set station [$ns node 1.0.1]
$station base-station [AddrParams addr2id [$ap node-addr]]
place_on_circle $station 1 1

proc cross_traffic {from to} {
    global ns par
    set udp [new Agent/UDP]
    $udp set packetSize_ $par(cross_size)
    $ns attach-agent $from $udp
    set null [new Agent/Null]
    $ns attach-agent $to $null
    $ns connect $udp $null
    set pareto [new Application/Traffic/Pareto]
    foreach {field key} {
        packetSize_ cross_size  burst_time_ cross_on  idle_time_ cross_off  rate_ cross
        shape_ cross_shape
    } { $pareto set $field $par($key) }
    $pareto attach-agent $udp
    $ns at $par(start) "$pareto start"
}
if {$congested} {
    foreach {a b} [list $server $r0 $c1 $r0 $c3 $r0 $r1 $ap $r1 $c2 $r1 $c4] {
        wire $a $b $par(wired_rate) $par(access_delay)
    }
    wire $r0 $r1 $par(bottleneck) $par(wired_delay) $par(bottleneck_buffer)
    cross_traffic $c1 $c2
    cross_traffic $c4 $c3
} else {
    wire $server $ap $par(wired_rate) $par(wired_delay)
}

# ---- errors ---------------------------------------------------------------------------------
# The two-state model runs by the clock: exponential sojourns, all is lost in the bad state and
# nothing in the good, and the state is looked at when a frame has been received.
# It comes into being just before the flow, so that ARP and routing are spared.
proc exponential {mean} {
    set x [new RandomVariable/Exponential]
    $x set avg_ $mean
    return $x
}
proc insert_errors {} {
    global par station
    switch $par(errors) {
        none { return }
        ge {
            set good [expr {$par(bad_state) * (1.0 - $par(loss)) / $par(loss)}]
            set good [exponential $good]
            set model [new ErrorModel/TwoState $good [exponential $par(bad_state)] time]
        }
        list {
            # These of the flow's packets, counted from 0, the SYN.
            set model [new ErrorModel/List]
            $model droplist $par(drops)
        }
        independent { set model [new ErrorModel/Uniform $par(loss) pkt] }
    }
    if {$par(level) eq "ip"} {
        # Between MAC and link layer: the MAC has acknowledged the frame.
        $model drop-target [new Agent/Null]
        $model target [$station set ll_(0)]
        [$station set mac_(0)] up-target $model
    } else {
        # Before the MAC, which gets the frame marked as wrong.
        $model target [$station set mac_(0)]
        [$station set netif_(0)] up-target $model
    }
}

# ---- the flow -------------------------------------------------------------------------------
if {$linux ne ""} {
    set source [new Agent/TCP/Linux]
    $source set timestamps_ true
    set sink [new Agent/TCPSink/Sack1]
    $sink set ts_echo_rfc1323_ true
} else {
    set source [new Agent/TCP/$par(agent)]
    set sink [new Agent/TCPSink[expr {$par(agent) eq "Sack1" ? "/Sack1" : ""}]]
}
foreach {field value} [concat [list packetSize_ $par(payload) window_ $par(window)] $fields] {
    $source set $field $value
}
$ns attach-agent $server $source
$ns attach-agent $station $sink
$ns connect $source $sink
if {$linux ne ""} { $ns at 0 "$source select_ca $linux" }
set bulk [new Application/FTP]
$bulk attach-agent $source

# ---- measuring ------------------------------------------------------------------------------
# The retransmission timeout without backing off, from SRTT and RTTVAR, which are kept in ticks as eight
# and four times their values. The tick of Linux is 1 ms.
set samples {0 0 0}
proc sample_timeout {} {
    global ns par source linux samples
    set tick [expr {$linux ne "" ? 0.001 : [$source set tcpTick_]}]
    set srtt [expr {$tick * [$source set srtt_] / 8.0}]
    set rto [expr {max([$source set minrto_], $srtt + $tick * [$source set rttvar_])}]
    lassign $samples n rtos srtts
    set samples [list [expr {$n + 1}] [expr {$rtos + $rto}] [expr {$srtts + $srtt}]]
    $ns at [expr {[$ns now] + $par(rto_sample)}] sample_timeout
}
if {$par(rto_sample) > 0} { $ns at [expr {$par(start) + 5}] sample_timeout }

# Segment 0 is the SYN, so the highest acknowledged number is the count of payload segments.
proc report {} {
    global par source samples
    set acked [$source set ack_]
    lappend fields "\"goodput_mbps\": [format %.6f [expr {$acked * $par(payload) * 8 / $par(duration) / 1e6}]]"
    foreach {name field} {
        segments_sent ndatapack_     retransmitted_packets nrexmitpack_
        timeouts nrexmit_            window_reductions ncwndcuts_
    } { lappend fields "\"$name\": [$source set $field]" }
    lassign $samples n rtos srtts
    if {$n > 0} {
        lappend fields "\"mean_rto_s\": [expr {$rtos / $n}]" "\"mean_srtt_s\": [expr {$srtts / $n}]"
    }
    puts "{[join $fields {, }]}"
    exit 0
}
$ns at [expr {$par(start) - 0.1}] insert_errors
$ns at $par(start) "$bulk start"
$ns at [expr {$par(start) + $par(duration)}] report
$ns run
