# What all cells have in common: options, radio, places of nodes, result. Sourced by the others.

# Reads key=value words into `par`; every script also has duration, warmup (s), seed and count_events.
proc options {defaults} {
    global argv par
    array set par [concat {duration 300.0 warmup 0.0 seed 1 count_events 0} $defaults]
    foreach word $argv {
        set cut [string first = $word]
        set key [string range $word 0 [expr {$cut - 1}]]
        if {$cut < 1 || ![info exists par($key)]} {
            puts stderr "[file tail $::argv0]: '$word': expected key=value, with a key out of: [lsort [array names par]]"
            exit 2
        }
        set par($key) [string range $word [expr {$cut + 1}] end]
    }
}

# Creates `ns` and configures 802.11b at 11 Mb/s; the PLCP header of 48 bits is sent at 1 Mb/s.
proc radio {nodes basic_rate preamble_bits rts_threshold} {
    global ns par ground
    foreach {field value} [list dataRate_ 11Mb basicRate_ $basic_rate PLCPDataRate_ 1Mb \
        PreambleLength_ $preamble_bits PLCPHeaderLength_ 48 RTSThreshold_ $rts_threshold] {
        Mac/802_11 set $field $value
    }
    set ns [new Simulator]
    ns-random $par(seed)
    set ground [new Topography]
    $ground load_flatgrid 100 100
    create-god $nodes
    # A wireless node writes traces unless it is told not to, and asks for a file all the same.
    $ns trace-all [open /dev/null w]
    $ns node-config -llType LL -macType Mac/802_11 -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $ground \
        -propType Propagation/TwoRayGround -antType Antenna/OmniAntenna \
        -ifqType Queue/DropTail/PriQueue \
        -agentTrace OFF -routerTrace OFF -macTrace OFF
}

# Before its nodes: wired hosts 0.0.0, 0.0.1, ... beside a cell of nodes 1.0.0, 1.0.1, ... . That
# takes hierarchical addresses and a routing protocol, which is silent after its first updates.
proc wired_domain {hosts nodes} {
    Agent/DSDV set perup_ 100000
    $::ns node-config -addressType hierarchical
    AddrParams set domain_num_ 2
    AddrParams set cluster_num_ {1 1}
    AddrParams set nodes_num_ [list $hosts $nodes]
    $::ns node-config -wiredRouting OFF
}

# An access point in the middle; station i of n on a circle of 3 m around it.
proc place {node x y} {
    $node random-motion 0
    foreach {axis value} [list X_ $x Y_ $y Z_ 0] { $node set $axis $value }
}
proc place_on_circle {node i n {radius 3.0}} {
    set angle [expr {8 * atan(1) * $i / $n}]
    place $node [expr {50 + $radius * cos($angle)}] [expr {50 + $radius * sin($angle)}]
}

proc wire {a b rate delay {limit 100000}} {
    $::ns duplex-link $a $b $rate $delay DropTail
    foreach {from to} [list $a $b $b $a] { $::ns queue-limit $from $to $limit }
}

# Prints the throughputs as a line of JSON and ends the run.
proc result {rates} {
    puts "{\"goodput_mbps\": \[[join $rates {, }]\]}"
    flush stdout
    if {!$::par(count_events)} { exit 0 }
    $::ns halt
}

proc simulate {} {
    global ns
    $ns run
    # Prints what was still to come; the uid of an event says how many were posted before it.
    $ns at [expr {[$ns now] + 1}] {}
    [$ns set scheduler_] dumpq
}
