# One TFRC flow over a wired path that loses packets, for ns-2.35 (Debian package ns2).
#
#   ns tfrc_path.tcl loss=0.01 pattern=random seed=1
#
#   source ---- a link of 100 Mb/s and 50 ms that loses data packets ---- sink
#
# One line of JSON goes to standard output (ns adds lines of its own before it).
# README.md tells the quantities; rerun.py runs this file for the stored rows.

# ---- options: tfrc.FIELD=VALUE sets a field of the sender -----------------------------------
source [file join [file dirname [info script]] common.tcl]
set fields [options {
    warmup 200.0      duration 1000.0    loss 0.01          pattern random
    rate 100Mb        delay 50ms         packet 1000        report 40
    discount 0.25     rtt_filter 0.9     t_rto 0.4          oscillation 1
    tick 0.001
} tfrc]

set ns [new Simulator]
ns-random $par(seed)
set a [$ns node]
set b [$ns node]
wire $a $b $par(rate) $par(delay)

switch $par(pattern) {
    random { set model [new ErrorModel/Uniform $par(loss) pkt] }
    periodic {
        set model [new ErrorModel/Periodic]
        $model unit pkt
        $model set period_ [expr {round(1 / $par(loss))}]
        $model set offset_ [expr {round(1 / $par(loss)) / 2}]
    }
}
$model drop-target [new Agent/Null]
$ns lossmodel $model $a $b

# ---- the flow -------------------------------------------------------------------------------
# t_RTO of the throughput equation is that of a TCP with this minimum and a clock of this tick, in
# seconds. ns-2's own are no minimum and a tick of 0.1 s.
set source [new Agent/TFRC]
foreach {field value} [concat [list packetSize_ $par(packet) df_ $par(rtt_filter) \
    tcp_tick_ $par(tick) minrto_ $par(t_rto) ca_ $par(oscillation)] $fields] {
    $source set $field $value
}
set sink [new Agent/TFRCSink]
$sink set packetSize_ $par(report)
$sink set minDiscountRatio_ $par(discount)
$ns attach-agent $a $source
$ns attach-agent $b $sink
$ns connect $source $sink
$ns at 0.1 "$source start"

# ---- measuring ------------------------------------------------------------------------------
proc report {} {
    set sent [expr {[$::source set ndatapack_] - $::at_begin}]
    puts "{\"packets_per_s\": [format %.4f [expr {double($sent) / $::par(duration)}]]}"
    exit 0
}
$ns at $par(warmup) { set at_begin [$source set ndatapack_] }
$ns at [expr {$par(warmup) + $par(duration)}] report
$ns run
