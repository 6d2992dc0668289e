# What the cells have in common: options, radio, places of nodes, counts of frames. Sourced by the
# scripts beside it, for ns-2.35 (Debian package ns2).

# Reads key=value words into `par`: the radio's keys, and those in `defaults`, which may also change
# the radio's. A key PREFIX.FIELD is not an option; a list of these fields and values is returned.
proc options {defaults {prefix ""}} {
    global argv argv0 par
    array set par [concat {
        seed 1            distance 3.0       rts_threshold 3000
        data_rate 11Mb    basic_rate 2Mb     plcp_rate 1Mb      preamble_bits 72   plcp_bits 48
        slot 20e-6        sifs 10e-6         cw_min 31
    } $defaults]
    set fields {}
    foreach word $argv {
        set cut [string first = $word]
        set key [string range $word 0 [expr {$cut - 1}]]
        set value [string range $word [expr {$cut + 1}] end]
        if {$prefix ne "" && [string match $prefix.?* $key]} {
            lappend fields [string range $key [string length $prefix.] end] $value
        } elseif {$cut < 1 || ![info exists par($key)]} {
            set also [expr {$prefix eq "" ? "" : "$prefix.FIELD or "}]
            puts stderr "[file tail $argv0]: '$word': expected key=value, with ${also}a key out of: [lsort [array names par]]"
            exit 2
        } else {
            set par($key) $value
        }
    }
    return $fields
}

# Creates `ns`. Traces go to the channel `trace`: a wireless node needs one even if it writes none.
proc simulator {{trace ""}} {
    global ns par
    foreach {field key} {
        dataRate_ data_rate  basicRate_ basic_rate  PLCPDataRate_ plcp_rate
        PreambleLength_ preamble_bits  PLCPHeaderLength_ plcp_bits  RTSThreshold_ rts_threshold
        SlotTime_ slot  SIFS_ sifs  CWMin_ cw_min
    } { Mac/802_11 set $field $par($key) }
    set ns [new Simulator]
    ns-random $par(seed)
    $ns trace-all [expr {$trace eq "" ? [open /dev/null w] : $trace}]
}

# Before any node: wired hosts 0.0.0, 0.0.1, ... beside a cell of nodes 1.0.0, 1.0.1, ... . Both meet
# in a base station only with hierarchical addresses and a routing protocol: DSDV, whose updates
# follow each other by `routing_period`.
proc wired_domain {hosts nodes} {
    global ns par
    Agent/DSDV set perup_ $par(routing_period)
    $ns node-config -addressType hierarchical
    AddrParams set domain_num_ 2
    AddrParams set cluster_num_ {1 1}
    AddrParams set nodes_num_ [list $hosts $nodes]
}

# Before the wireless nodes: their number, and further words for node-config.
proc radio {nodes args} {
    global ns
    set ground [new Topography]
    $ground load_flatgrid 100 100
    create-god $nodes
    $ns node-config -llType LL -macType Mac/802_11 -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $ground \
        -propType Propagation/TwoRayGround -antType Antenna/OmniAntenna \
        -ifqType Queue/DropTail/PriQueue \
        -agentTrace OFF -routerTrace OFF -macTrace OFF {*}$args
}

# The access point stands at (50, 50) m, station i of n on a circle around it.
proc place {node x y} {
    $node random-motion 0
    foreach {axis v} [list X_ $x Y_ $y Z_ 0] { $node set $axis $v }
}
proc place_on_circle {node i n} {
    global par
    set angle [expr {8 * atan(1) * $i / $n}]
    place $node [expr {50 + $par(distance) * cos($angle)}] \
        [expr {50 + $par(distance) * sin($angle)}]
}

proc wire {a b rate delay {buffer 100000}} {
    global ns
    $ns duplex-link $a $b $rate $delay DropTail
    foreach {from to} [list $a $b $b $a] { $ns queue-limit $from $to $buffer }
}

# For `simulator`: a channel through which the MAC trace (-macTrace ON) goes to awk, which counts
# the frames on the air from the time `begin` on, by type and sender: [access point, stations].
proc frame_counter {begin} {
    set count {
        BEGIN { split("RTS CTS ACK cbr tcp ack", types)
                split("rts cts mac_ack datagram segment tcp_ack", names) }
        $1 == "s" && $4 == "MAC" && $2 >= begin { sent[$7, $3 == "_0_"]++ }
        END { for (i = 1; i in types; i++)
                  printf "%s\"%s\": [%d, %d]", i == 1 ? "{" : ", ", names[i],
                      sent[types[i], 1], sent[types[i], 0]
              print "}" }
    }
    return [open [list | awk -v begin=$begin $count] r+]
}
proc frames_counted {counter} {
    $::ns flush-trace
    close $counter write
    return [gets $counter]
}
