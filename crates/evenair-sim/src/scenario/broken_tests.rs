//! Broken scenarios: each gives one line that names the field and what is accepted.

use serde_json::json;

use super::*;

const GOOD: &str = r#"
duration = "10 s"
[cell]
queue = { kind = "droptail", limit = 60 }
[wired]
delay = "2 ms"
[[station]]
flows = [{ direction = "up" }, { direction = "down" }]
"#;

/// Overrides of [`GOOD`]: `key=value => the field that the error names => texts of its line`.
const OVERRIDES: &str = r#"
# Unknown keys at each level.
durration=3 => durration => unknown key `durration`; did you mean `duration`? accepted: name, duration, warmup
cell.fy=1 => cell.fy => unknown key `fy` | accepted: kind, phy
cell.queue.limits=1 => cell.queue.limits => did you mean `limit`? | kind, limit
wired.dely=1 => wired.dely => unknown key `dely`; did you mean `delay`? accepted: rate, delay
station.0.cout=1 => station.0.cout => did you mean `count`? | flows
station.0.error={rate=0.1,burst=2} => station.0.error.burst => accepted: kind, rate, level, frames, direction
station.0.flows.1.windw=3 => station.0.flows.1.windw => did you mean `window`?
trace.intervall=1 => trace.intervall => did you mean `interval`? accepted: interval
zzz=1 => zzz => unknown key `zzz`; accepted: name
# Quantities.
duration=10 sec => duration => "10 sec" | ns, us | such as "2 ms"
duration=ten => duration => "ten" | does not start with a number | such as "2 ms"
duration='10' => duration => "10" | unit is missing | or plain seconds
duration=-1 => duration => got -1: it is negative | from 0 to 1000000 s
duration=0 => duration => got 0 s | above 0
duration=nan => duration => "NaN" | accepted: a time
duration=inf => duration => "inf" | accepted: a time
duration=1e7 => duration => got 10000000: it is too large | to 1000000 s
duration=[1] => duration => got a list | accepted: a time
duration=true => duration => got true | accepted: a time
warmup=-1 s => warmup => "-1 s": it is negative | accepted: a time
wired.rate=100 mbps => wired.rate => did you mean `Mbps`? | such as "11 Mbps"
wired.rate=-5 Mbps => wired.rate => "-5 Mbps": it is negative | accepted: a rate above 0
wired.rate=0 => wired.rate => got 0: it is too small | accepted: a rate above 0
wired.rate=2 s => wired.rate => its unit "s" | Mbps
wired.rate=1e30 => wired.rate => too large | up to 1000 Gbps
wired.delay=3 Mbps => wired.delay => its unit "Mbps" | us
# Topologies.
wired.link=[{between=["server","ap"]}] => wired.delay => got it together with links | [[wired.link]]
wired={link=[{between=["ap"]}]} => wired.link.0.between => got ["ap"] | two names of nodes
wired={link=[{between="ap"}]} => wired.link.0.between => got "ap" | two names of nodes
wired={link=[{between=["server","ap"],rat=1}]} => wired.link.0.rat => did you mean `rate`?
wired={link=[{rate=1}]} => wired.link.0.between => missing
wired={link=[{between=["server","server"]}]} => wired.link.0.between => from "server" to itself | two different
wired={link=[{between=["server","ap"]},{between=["ap","server"]}]} => wired.link.1.between => second link | one link
wired={link=[{between=["server","ap"]},{between=["ap","r"]},{between=["r","server"]}]} => wired.link.2.between => closes a loop
wired={link=[{between=["server","r0"]}]} => wired.link => no link to "ap"
wired={link=[{between=["server","ap"]},{between=["c1","c2"]}]} => wired.link.1.between => got "c1", which no way leads to
wired={link=[{between=["hub","ap"]}]} => station.0.flows.0.host => got "server"; accepted: "hub"
wired={link=[{between=["server","ap"],error={level="mac"}}]} => wired.link.0.error.level => got "mac" | "ip"
wired={link=[{between=["server","ap"],queue={limit="100 B"}}]} => wired.link.0.queue.limit => got 100 B | at least 1500 B
wired={flow=[{to="server"}]} => wired.flow.0.from => missing; accepted: "server"
wired={flow=[{from="server",to="servr"}]} => wired.flow.0.to => did you mean "server"?
wired={flow=[{from="server",to="ap"}]} => wired.flow.0.to => got "ap"; accepted: "server"
wired={flow=[{from="server",to="server"}]} => wired.flow.0.to => another host
wired={flow=[{from="server",to="server",direction="up"}]} => wired.flow.0.direction => between hosts
wired={link=[{between=["ap","server"]},{between=["server","b"],rate="unlimited",delay=0}],flow=[{from="server",to="b"}]} => wired.flow.0 => take no time | at least 1 ns
wired={link=[{between=["ap","server"]},{between=["server","b"],rate="1000 Gbps",delay=0}],flow=[{from="server",to="b",segment=1}]} => wired.flow.0 => take no time
wired={flow=[[1]]} => wired.flow.0 => got a list
station.0.flows.0.host=server => station.0.flows.0.host => where there is one link
station.0.flows.0.from=server => station.0.flows.0.from => got it with a station's flow
# Names.
cell.kind=wifi => cell.kind => got "wifi" | accepted: "wlan", "wimax"
cell.modulation=64qam-3/4 => cell.modulation => `modulation` is a key of a "wimax" cell | accepted: kind, phy
cell.phy=802.11be => cell.phy => got "802.11be", which is not modelled | docs/not-modelled.md | "802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"
station.0.flows.0.transport=quic => station.0.flows.0.transport => got "quic", which is not modelled | docs/not-modelled.md
station.0.flows.0.application=http3 => station.0.flows.0.application => got "http3", which is not modelled
cell.queue=CAKE => cell.queue.kind => got "CAKE", which is not modelled
cell.ofdma=true => cell.ofdma => unknown key `ofdma`, which is not modelled | docs/not-modelled.md | accepted: kind, phy
propagation={hidden=[]} => propagation => unknown key `propagation`, which is not modelled
cell.phy=11 => cell.phy => got 11 | "802.11b", "802.11a", "802.11g"
station.0.flows.0.direction=upp => station.0.flows.0.direction => got "upp"; did you mean "up"? accepted: "up", "down"
station.0.flows.0={} => station.0.flows.0.direction => missing | "up", "down"
station.0.flows.0.transport=newrenno => station.0.flows.0.transport => did you mean "newreno"? | "udp"
station.0.flows.0.transport=trfc => station.0.flows.0.transport => did you mean "tfrc"? | "newreno", | "udp"
station.0.flows.0={direction='up',rate=1e6,transport={kind='udp',ecn='ce'}} => station.0.flows.0.transport.ecn => got "ce" | "ect0", "ect1"
station.0.flows.0={direction='up',rate=1e6,transport={kind='udp',ecn=true}} => station.0.flows.0.transport.ecn => got true | "ect0", "ect1"
cell.queue={kind='dualpi2',coupling_factor=0} => cell.queue.coupling_factor => got 0 | from 1 to 255
cell.queue={kind='dualpi2',classify='l4s'} => cell.queue.classify => got "l4s" | "l4s_ect", "any_ect"
station.0.flows.0={direction='up',transport='tfrc',application='cbr',rate=1} => station.0.flows.0.application => got "cbr" over tfrc | "bulk" over tfrc
station.0.flows.0={direction='up',transport={kind='tfrc',rtt_filter=1}} => station.0.flows.0.transport.rtt_filter => got 1 | from 0 to 0.999
station.0.flows.0.application={kind='wob'} => station.0.flows.0.application.kind => did you mean "web"? | "bulk", "file", "web", "page", "arrivals", "stream", "cbr"
# The scheduler.
cell.scheduler=drr => cell.scheduler => got "drr" | "fifo", "round-robin", "airtime-drr"
cell.scheduler=airtime-dr => cell.scheduler => did you mean "airtime-drr"?
cell.scheduler=['airtime-drr'] => cell.scheduler => got a list | a table
cell.scheduler={kind='airtime-drr',quantum=0} => cell.scheduler.quantum => got 0 | a time above 0
cell.scheduler={kind='airtime-drr',quanta='1 ms'} => cell.scheduler.quanta => did you mean `quantum`?
cell.scheduler={quantum='1 ms'} => cell.scheduler.quantum => no parameter of a "fifo"
# The gateway.
gateway=3 => gateway => got 3 | a table
gateway=[1] => gateway => got a list | a table
gateway.limitr=none => gateway.limitr => did you mean `limiter`?
gateway.limiter=adaptiv => gateway.limiter => did you mean "adaptive"? | "none", "adaptive", "fixed"
gateway.limiter=['fixed'] => gateway.limiter => got a list | a table
gateway.limiter={kind='adaptive',interval=0} => gateway.limiter.interval => got 0 | above 0
gateway.limiter={kind='adaptive',interval='1 us'} => gateway.limiter.interval => got 0.000001 s, of which the run has 10000000 | up to 1000000
gateway.limiter={kind='adaptive',step=0} => gateway.limiter.step => got 0 | a rate above 0
gateway.limiter={kind='adaptive',step='7 Mbps'} => gateway.limiter.max_rate => got 6000000 | at least step, 7000000
gateway.limiter={kind='adaptive',bucket=0} => gateway.limiter.bucket => got 0 | bytes above 0
gateway.limiter={kind='adaptive',bucket='1499 B'} => gateway.limiter.bucket => got 1499 B | at least 1500 B, the largest packet of an upload
gateway.limiter={kind='adaptive',bucket='1 us'} => gateway.limiter.bucket => got 1 B | at least 1500 B
gateway.limiter={kind='adaptive',min_rate='7 Mbps'} => gateway.limiter.min_rate => got 7 Mbps | at most max_rate, 6 Mbps
gateway.limiter={kind='adaptive',min_rate='-1 kbps'} => gateway.limiter.min_rate => got "-1 kbps" | a rate from 0
gateway.limiter={kind='adaptive',max_rate='fast'} => gateway.limiter.max_rate => got "fast" | a rate
gateway.limiter={kind='adaptive',loss_signal='snmp'} => gateway.limiter.loss_signal => got "snmp" | "exact", "polled"
gateway.limiter={kind='adaptive',loss_signal=['polled']} => gateway.limiter.loss_signal => got a list | a table
gateway.limiter={kind='adaptive',loss_signal={kind='polled',refresh=0}} => gateway.limiter.loss_signal.refresh => got 0 | above 0
gateway.limiter={kind='adaptive',loss_signal={refresh='1 us',kind='polled'}} => gateway.limiter.loss_signal.refresh => of which the run has 10000000
gateway.limiter={kind='adaptive',loss_signal={kind='polled',delay='1 B'}} => gateway.limiter.loss_signal.delay => got "1 B" | a time above 0
gateway.limiter={kind='adaptive',loss_signal={kind='polled',dely=1}} => gateway.limiter.loss_signal.dely => did you mean `delay`?
gateway.limiter={kind='adaptive',udp='none'} => gateway.limiter.udp => got "none" | "shared", "reserved", "estimated"
gateway.limiter={kind='adaptive',udp='reserved',udp_rate='6 Mbps'} => gateway.limiter.udp_rate => got 6 Mbps | less than max_rate, 6 Mbps
gateway.limiter={kind='adaptive',uplink_count='wire'} => gateway.limiter.uplink_count => got "wire" | "air", "passed"
gateway.limiter={kind='fixed',rate=0} => gateway.limiter.rate => got 0 | a rate above 0
gateway.limiter={kind='fixed',bucket='1 KB'} => gateway.limiter.bucket => got 1000 B | at least 1500 B
gateway.limiter={kind='fixed',step=1} => gateway.limiter.step => `step` is no parameter of a "fixed" limiter; accepted: kind, rate, bucket
gateway.limiter.step=1 => gateway.limiter.step => no parameter of a "none" limiter
# The cell.
cell=3 => cell => got 3 | accepted: a table
cell.data_rate=54 Mbps => cell.data_rate => got 54 Mbps | "1 Mbps", "2 Mbps", "5.5 Mbps", "11 Mbps"
cell.control_rate=6 Mbps => cell.control_rate => got 6 Mbps | "11 Mbps"
cell.data_rate=unlimited => cell.data_rate => got unlimited | "11 Mbps"
cell={phy='802.11g',data_rate=11e6} => cell.data_rate => got 11 Mbps | "54 Mbps"
cell={phy='802.11a',preamble='long'} => cell.preamble => phy "802.11a" | no preamble
cell={preamble='short',control_rate=1e6} => cell.preamble => "short" with cell.control_rate 1 Mbps | "long"
cell={preamble='short',data_rate=1e6} => cell.preamble => "short" with cell.data_rate 1 Mbps | "long"
# 802.11n, ac and ax.
cell.mcs=7 => cell.mcs => got it with phy "802.11b" | "802.11n", "802.11ac" or "802.11ax"
cell.edca=wmm => cell.edca => got it with phy "802.11b" | "802.11ax"
cell={phy='802.11ax',data_rate=54e6} => cell.data_rate => got 54 Mbps with phy "802.11ax" | mcs, streams
cell={phy='802.11ax',mcs=12} => cell.mcs => got 12 | from 0 to 11
cell={phy='802.11n',mcs=8} => cell.mcs => got MCS 8 | with 802.11n, 20 MHz and 1 stream: 0, 1, 2, 3, 4, 5, 6, 7
cell={phy='802.11ac',channel_width='20 MHz',mcs=9} => cell.mcs => got MCS 9 | with 802.11ac, 20 MHz and 1 stream: 0, 1, 2, 3, 4, 5, 6, 7, 8
cell={phy='802.11n',channel_width='80 MHz'} => cell.channel_width => got 80 MHz | with 802.11n: 20, 40 MHz
cell={phy='802.11ax',channel_width='30 MHz'} => cell.channel_width => got 30 MHz | 20 MHz, 40 MHz
cell={phy='802.11ax',channel_width=80} => cell.channel_width => got 80 Hz | 20 MHz
cell={phy='802.11ax',band='2.4 GHz',channel_width='80 MHz'} => cell.channel_width => got 80 MHz at 2.4 GHz | 20 MHz, 40 MHz
cell={phy='802.11ac',band='2.4 GHz'} => cell.band => got "2.4 GHz" with phy "802.11ac" | "5 GHz"
cell={phy='802.11ax',band='6 GHz'} => cell.band => got "6 GHz" | "5 GHz", "2.4 GHz"
cell={phy='802.11n',streams=5} => cell.streams => got 5 streams | with 802.11n: 1 to 4
cell={phy='802.11ax',streams=9} => cell.streams => got 9 | from 1 to 8
cell={phy='802.11n',guard_interval='1.6 us'} => cell.guard_interval => got 1.6 us | with 802.11n: 0.8, 0.4 us
cell={phy='802.11ax',guard_interval='0.4 us'} => cell.guard_interval => got 0.4 us | with 802.11ax: 0.8, 1.6, 3.2 us
cell={phy='802.11ax',preamble='short'} => cell.preamble => got "short" with phy "802.11ax" | a duration
cell={phy='802.11ax',aggregation='amsdu'} => cell.aggregation => got "amsdu" | "a-mpdu", "off"
cell={phy='802.11n',aggregation={kind='a-mpdu',window=65}} => cell.aggregation.window => got 65 | 1 to 64 with 802.11n
cell={phy='802.11n',aggregation={kind='a-mpdu',amsdu=4066}} => cell.aggregation.amsdu => got 4066 | "off", or 1 to 4065 with 802.11n
cell={phy='802.11ax',aggregation={kind='a-mpdu',amsdu=0}} => cell.aggregation.amsdu => got 0 | from 1 to 11424, or "off"
cell={phy='802.11ax',aggregation={kind='a-mpdu',amsdu=11425}} => cell.aggregation.amsdu => got 11425 | from 1 to 11424, or "off"
cell={phy='802.11ax',aggregation={kind='a-mpdu',limit=0}} => cell.aggregation.limit => got 0 | from 1 to 6500631, or "max"
cell={phy='802.11ax',aggregation={kind='a-mpdu',duration='6 ms'}} => cell.aggregation.duration => got | above 0 and up to 0.005484 s
cell={phy='802.11ax',block_ack_recovery='ask'} => cell.block_ack_recovery => got "ask" | "resend", "bar"
cell={phy='802.11ax',msdu_lifetime=0} => cell.msdu_lifetime => got 0 s | "off", or a time above 0
cell={phy='802.11ax',msdu_lifetime='forever'} => cell.msdu_lifetime => got "forever" | "off", or a time such as "100 ms"
cell.ring=-1 => cell.ring => got -1 | a whole number from 0 to 65535
cell.ring=10 && cell.scheduler=airtime-drr => cell.ring => got 10 with scheduler "airtime-drr" | 0, or scheduler "fifo"
cell.access_point=openwrt => cell.access_point => got "openwrt" | "linux"
cell.access_point=linux && cell.scheduler=fifo => cell.access_point => got "linux" with scheduler "fifo" | scheduler "airtime-drr" or "round-robin"
cell.hardware_depth=2 => cell.hardware_depth => got 2 with scheduler "fifo" | 0, or scheduler "airtime-drr" or "round-robin"
cell.hardware_depth=-1 => cell.hardware_depth => got -1 | a whole number from 0 to 100
cell.scheduler={kind='airtime-drr',form='mac80211'} => cell.hardware_depth => got 0 with a scheduler that looks at the hardware | at least 1, or form "ath9k" without aql
cell.scheduler={kind='airtime-drr',aql={low='6 ms',high='5 ms'}} => cell.scheduler.aql => got  | "off", a time above 0, or a table of times
cell.fq_memory_limit=0 => cell.fq_memory_limit => got 0 | from 1 to 4294967295
cell.fq_memory_limit=1000000 => cell.fq_memory_limit => got 1000000 | none, or access_point "linux"
cell.sta_slow_threshold=fast => cell.sta_slow_threshold => got "fast"
cell.sta_slow_threshold=6 Mbps => cell.sta_slow_threshold => got 6 Mbps | none, or access_point "linux"
station.0.airtime_weight=0 => station.0.airtime_weight => got 0 | a whole number from 1 to 65535
station.0.airtime_weight=300 => station.0.airtime_weight => got a weight with scheduler "fifo" | no weight, or scheduler "airtime-drr"
cell.msdu_lifetime=500 ms => cell.msdu_lifetime => got it with phy "802.11b" | "802.11n", "802.11ac" or "802.11ax"
cell={phy='802.11ax',edca='wnm'} => cell.edca => got "wnm"; did you mean "wmm"? | "802.11-2020", "ns3"
cell={phy='802.11ax',edca=['wmm']} => cell.edca => got a list | a table
cell={phy='802.11ax',edca={be={cw_min=16}}} => cell.edca.be.cw_min => got 16 | 0, 1, 3, 7, 15, 31
cell={phy='802.11ax',edca={be={cw_max=7}}} => cell.edca.be.cw_min => got 15, above a CWmax of 7 | up to cw_max
cell={phy='802.11ax',edca={vo={aifsn=1}}} => cell.edca.vo.aifsn => got 1 | 2 to 15, or 1 in edca_ap
cell={phy='802.11ax',edca_ap={vo={txop='33 us'}}} => cell.edca_ap.vo.txop => got 0.000033 s | a multiple of 32 us
cell={phy='802.11ax',protection='on'} => cell.protection => got "on" | "off", "cts-to-self", "rts-cts"
cell.coding=bcc => cell.coding => got it with phy "802.11b" | "802.11n"
cell={phy='802.11ac',coding='turbo'} => cell.coding => got "turbo" | "ldpc", "bcc"
cell={phy='802.11ax',coding='bcc'} => cell.coding => got "bcc" with 80 MHz | "ldpc"
cell={phy='802.11ax',channel_width='20 MHz',coding='bcc'} => cell.coding => MCS 11 | up to 20 MHz, 4 streams and MCS 9
cell={phy='802.11ax'} && station.0.phy=802.11g => station.0.phy => got "802.11g" | "802.11ax", that of the cell, or "802.11ac", "802.11n", "802.11a"
cell={phy='802.11ax',band='2.4 GHz'} && station.0.phy=802.11ac => station.0.phy => got "802.11ac" | or "802.11n", "802.11g"
cell={phy='802.11n'} && station.0.phy=802.11ac => station.0.phy => got "802.11ac" | "802.11n", that of the cell, or "802.11a"
cell={phy='802.11ax'} && station.0={phy='802.11a',mcs=3,flows=[{direction='up'}]} => station.0.mcs => got it with phy "802.11a" | "802.11n"
cell={phy='802.11ax'} && station.0={phy='802.11a',data_rate=11e6,flows=[{direction='up'}]} => station.0.data_rate => got 11 Mbps | a rate of 802.11a
cell={phy='802.11ax'} && station.0={phy='802.11n',mcs=8,flows=[{direction='up'}]} => station.0.mcs => got MCS 8 | with 802.11n, 40 MHz and 1 stream
cell={phy='802.11ax'} && station.0.data_rate=54 Mbps => station.0.data_rate => got it with phy "802.11ax" | mcs, streams
cell={phy='802.11ax'} && station.0.rate_control=aarf => station.0.rate_control => got "aarf", which is without MCS | "ideal"
cell={phy='802.11ax'} && station.0={phy='802.11a',flows=[{direction='up',access_category='vi'}]} => station.0.flows.0.access_category => got "vi" with phy "802.11a"
cell={phy='802.11ax',immediate_access=false} => cell.immediate_access => got false | true
cell={phy='802.11ax',long_retry_limit=5} => cell.long_retry_limit => got 5 | short_retry_limit
cell.preamble=shrot => cell.preamble => got "shrot"; did you mean "short"? | such as "120 us"
cell.preamble=0 us => cell.preamble => got 0 s | above 0
cell.preamble=1 h => cell.preamble => got 3600 s | "long", "short"
cell.rts_threshold=on => cell.rts_threshold => got "on" | "off", or bytes
cell.rts_threshold=-1 => cell.rts_threshold => got -1 | "off", or bytes
cell.mac_overhead=-1 => cell.mac_overhead => got -1 | from 0 to 65535
cell.immediate_access=yes => cell.immediate_access => got "yes" | true or false
cell.short_retry_limit=0 => cell.short_retry_limit => got 0 | from 1 to 255
cell.beacon_interval=0 => cell.beacon_interval => got 0 s | "off", or a time from 0.001024 s to 67.10784 s
cell.beacon_interval=1 ms => cell.beacon_interval => got 0.001 s | "off", or a time
cell.beacon_interval=68 s => cell.beacon_interval => got 68 s | "off", or a time
cell.beacon_interval=on => cell.beacon_interval => got "on" | "off", or a time such as "100 ms"
cell.beacon_interval=[1] => cell.beacon_interval => got a list | "off", or a time such as "100 ms"
cell.beacon_interval=-1 => cell.beacon_interval => got -1 | "off", or a time such as "100 ms"
cell={kind='wimax'} && station.0.stack=linux => station.0.stack => got a key of a "wlan" cell | kind = "wlan" of the cell
cell={kind='wimax',beacon_interval=0.1} => cell.beacon_interval => `beacon_interval` is a key of a "wlan" cell
cell.long_retry_limit=256 => cell.long_retry_limit => got 256 | from 1 to 255
# Queues.
cell.queue.limit=0 => cell.queue.limit => got 0 | packets from 1 | "150 KB"
cell.queue.limit=-3 => cell.queue.limit => got -3 | packets from 1
cell.queue.limit=1.5 => cell.queue.limit => got 1.5 | packets from 1
cell.queue.limit=0 B => cell.queue.limit => got "0 B" | "150 KB"
cell.queue.limit=99999999999 => cell.queue.limit => got 99999999999 | to 10000000
cell.queue=fifo => cell.queue.kind => got "fifo" | "droptail", "spm-af", "las"
cell.queue.kind=spm => cell.queue.kind => did you mean "spm-af"? | "las"
cell.queue=60 => cell.queue => got 60 | kind = "droptail"
cell.queue.filtering=tail => cell.queue.filtering => `filtering` is no parameter of a "droptail" queue; accepted: kind, limit
cell.queue={kind='spm-af',service='bytes'} => cell.queue.service => `service` | accepted: kind, limit, filtering
cell.queue={kind='las',filtering='head'} => cell.queue.filtering => `filtering` | accepted: kind, limit, service, flow_timeout
cell.queue={kind='las',service='time'} => cell.queue.service => got "time" | "sequence", "bytes"
cell.queue={kind='pie',form='bsd'} => cell.queue.form => got "bsd" | "rfc8033", "linux"
cell.queue={kind='pie',form='linux',derandomize=true} => cell.queue.derandomize => `derandomize` is no parameter of a "pie" queue | accepted: kind, limit, form, target, tupdate, alpha, beta, delay, ecn
cell.queue={derandomize=true,form='linux',kind='pie'} => cell.queue.derandomize => `derandomize` is no parameter of a "pie" queue | accepted: kind, limit, form
cell.queue={kind='pie',form='linux',beta=3} => cell.queue.beta => got 3 | from 0 to 2
cell.queue={kind='las',flow_timeout=0} => cell.queue.flow_timeout => got 0 | above 0
station.0.queue.limit=0 => station.0.queue.limit => got 0 | packets from 1
cell.control_rate=basik => cell.control_rate => got "basik"; did you mean "basic"? | "2 Mbps"
cell.control_rate=[1] => cell.control_rate => got a list | "basic", or a rate
cell.control_rate=-1 => cell.control_rate => got -1 | "basic", or a rate
cell.basic_rates=[] => cell.basic_rates => got none | rates of 802.11b: "1 Mbps"
cell.basic_rates=['6 Mbps'] => cell.basic_rates => got 6 Mbps | rates of 802.11b: "1 Mbps"
cell={phy='802.11a',basic_rates=[1e6]} => cell.basic_rates => got 1 Mbps | rates of 802.11a: "6 Mbps"
cell={phy='802.11g',basic_rates=[3e6]} => cell.basic_rates => got 3 Mbps | "1 Mbps", "2 Mbps", "5.5 Mbps", "6 Mbps"
cell.basic_rates=basic => cell.basic_rates => got "basic" | a list
# Names.
station.0.name='' => station.0.name => got "" | 1 to 100 printable
station.0.name=' a' => station.0.name => got " a" | neither begin nor end
station.0.name=3 => station.0.name => got 3 | a text in quotes
station.0.name="\u001b[31m" => station.0.name => \u{1b}[31m | printable
station.0.flows.0.name="two\nlines" => station.0.flows.0.name => "two\nlines" | printable
station.0.flows.0.group='' => station.0.flows.0.group => got "" | 1 to 100 printable
station.0.flows=[{direction='up',name='a'},{direction='up',name='a'}] => station.0.flows.1.name => got "a", the name of station.0.flows.0, too | of its own
station=[{name='a',count=2,flows=[{direction='up'}]},{name='a-2',flows=[{direction='up'}]}] => station.1.name => got "a-2", the name of station.0
wired={link=[{between=["server","ap"]},{between=["server","b"]}],flow=[{from="server",to="b",group="\t"}]} => wired.flow.0.group => got "\t"
# Stations.
station=[] => station => got none | at least one [[station]]
station={count=1} => station => got a table | a list
station.0={} => station.0.flows => missing | at least one flow
station.0.flows=[] => station.0.flows => got none | at least one flow
station.0.flows=up => station.0.flows => got "up" | a list
station.0.count=0 => station.0.count => got 0 | from 1 to 100000
station.0.count=1000000000000 => station.0.count => got 1000000000000 | from 1 to 100000
station.0.count=50001 => station => got 100002 flows in all | up to 100000
station.0.count=two => station.0.count => got "two" | from 1 to 100000
station.0.data_rate=3 Mbps => station.0.data_rate => got 3 Mbps | "11 Mbps"
station.0.phy=802.11a => station.0.phy => got "802.11a" | "802.11b", that of the cell
station.0.phy=802.11be => station.0.phy => got "802.11be", which is not modelled | "802.11b", "802.11a", "802.11g"
station.0.mcs=7 => station.0.mcs => got it with phy "802.11b" | "802.11n", "802.11ac" or "802.11ax"
station.0.aggregation=off => station.0.aggregation => got it with phy "802.11b" | "802.11n", "802.11ac" or "802.11ax"
station.0.flows.0.access_category=vi => station.0.flows.0.access_category => got "vi" with phy "802.11b" | none, or phy "802.11n"
station.0.flows.0.access_category=video => station.0.flows.0.access_category => got "video" | "be", "bk", "vi", "vo"
station.0.rate_control=minstral => station.0.rate_control => did you mean "minstrel"? | "fixed", "arf", "aarf", "minstrel", "minstrel-ht", "ideal"
station.0.rate_control={kind='arf',successes=0} => station.0.rate_control.successes => got 0 | from 1 to
station.0.rate_control={kind='aarf',successes=60} => station.0.rate_control.max_successes => got 50 | at least successes, 60
station.0.rate_control={kind='minstrel',interval=0} => station.0.rate_control.interval => got 0 | above 0
station.0.rate_control={kind='minstrel-ht',interval=0} => station.0.rate_control.interval => got 0 | above 0
station.0.rate_control={kind='ideal',success=1} => station.0.rate_control.success => got 1 | below 1
station.0.rate_control=['arf'] => station.0.rate_control => got a list | a table
station.0.channel=fading => station.0.channel => got "fading" | "schedule", "snr", "distance"
station.0.channel=3 => station.0.channel => got 3 | a table
station.0.channel={kind='schedule',rates=[]} => station.0.channel.rates => got an empty list | in ascending order of time
station.0.channel={kind='schedule',rates=[['1 s','11 Mbps']]} => station.0.channel.rates => got 1 s as the first time | the first at 0 s
station.0.channel={kind='schedule',rates=[['0 s','11 Mbps'],['2 s','1 Mbps'],['1 s','2 Mbps']]} => station.0.channel.rates => got 1 s after 2 s | ascending
station.0.channel={kind='schedule',rates=[['0 s','11 Mbps'],['-1 s','2 Mbps']]} => station.0.channel.rates => got the entry ["-1 s","2 Mbps"] | ascending
station.0.channel={kind='schedule',rates=[['0 s','3 Mbps']]} => station.0.channel.rates => got 3 Mbps | a rate of 802.11b: "1 Mbps", "2 Mbps", "5.5 Mbps", "11 Mbps"
station.0.channel={kind='snr',snr_db='loud'} => station.0.channel.snr_db => got "loud" | from -30 to 100
station.0.channel={kind='distance',metres=0} => station.0.channel.metres => got 0 | from 0.001
station.0.channel={kind='distance',exponent=0} => station.0.channel.exponent => got 0 | from 1
cell.protection=cts => cell.protection => got "cts" | "off", "cts-to-self", "rts-cts"
cell.protection=off => cell.protection => got a protection with phy "802.11b" | phy "802.11g"
station.0.error.rate=1 => station.0.error.rate => got 1 | below 1
station.0.error.rate=0 => station.0.error.rate => got 0 | above 0
station.0.error.rate=-0.1 => station.0.error.rate => got -0.1 | a probability
station.0.error={kind='gilbert-elliott',bad_state=0} => station.0.error.bad_state => got 0 | above 0
station.0.error={rate=0.1,level='phy'} => station.0.error.level => got "phy" | "ip", "mac"
station.0.error={rate='many'} => station.0.error.rate => got "many" | a probability
station.0.error={kind='gilbert',rate=0.1} => station.0.error.kind => did you mean "gilbert-elliott"? | "independent"
station.0.error=0.1 => station.0.error => got 0.1 | a table
# Lists where serde would take the fields by position.
cell=['wlan'] => cell => got a list | a table
trace=[1] => trace => got a list | a table
station.0=[1] => station.0 => got a list | a table
station.0.error=['independent',0.1] => station.0.error => got a list | a table
station.0.flows.1=['up'] => station.0.flows.1 => got a list | a table
# Flows.
station.0.flows.1.segment=0 => station.0.flows.1.segment => got 0 | from 1 to 65495
station.0.flows.1.segment=65490 => station.0.flows.1.segment => got 65490 | up to 65535
station.0.extra_header=65000 => station.0.flows.0.segment => extra_header 65000 | up to 65535
station.0.flows.1.header=28 => station.0.flows.1.header => got 28 | from 40 to 120
station.0.flows.1.tso=true => station.0.flows.1.tso => got true | false without pacing = true
station.0.flows.1.pacing=fq => station.0.flows.1.pacing => got "fq" | true or false
station.0.flows.1.tsq=linux => station.0.flows.1.tsq => got "linux" | from 0 to 31
station.0.flows.1.tsq=32 => station.0.flows.1.tsq => got 32 | from 0 to 31
station.0.flows.1={direction='up',transport='udp',rate=1e6,tsq=7} => station.0.flows.1.tsq => got 7 | none with transport "udp"
station.0.flows.1={direction='down',tsq=10} && wired.queue=fq-codel => station.0.flows.1.tsq => got 10 where the first link has a "fq-codel" queue | a "droptail" queue
station.0.stack=bsd => station.0.stack => got "bsd" | "linux"
station.0.flows.1.ecn=acc => station.0.flows.1.ecn => got "acc" | true, false, or "accecn"
station.0.flows.1.receiver_ecn=1 => station.0.flows.1.receiver_ecn => got 1 | true, false, or "accecn"
station.0.flows.1={direction='up',transport='prague',ecn=false} => station.0.flows.1.ecn => got false | "accecn" or true with transport "prague"
station.0.flows.1={direction='up',transport='udp',rate=1e6,ecn='accecn'} => station.0.flows.1.ecn => got "accecn" | false with transport "udp"
station.0.flows.1.timestamps=1 => station.0.flows.1.timestamps => got 1 | true or false
station.0.flows.1.header=0 => station.0.flows.1.header => got 0 | from 28 to 120
station.0.flows.1.window=0 => station.0.flows.1.window => got 0 | from 1 to 65535
station.0.flows.1.window=65536 => station.0.flows.1.window => got 65536 | from 1 to 65535
station.0.flows.1.window='42' => station.0.flows.1.window => got "42" | from 1 to 65535
station.0.flows.1.initial_window=2155 => station.0.flows.1.initial_window => got 2155 | the window, 2154
station.0.flows.1.tcp=lunix => station.0.flows.1.tcp => did you mean "linux"? accepted: "linux", "rfc", "ns2"
station.0.flows.1.quick_acks=-1 => station.0.flows.1.quick_acks => got -1 | from 0 to 65535
station.0.flows.1.delayed_ack=0 => station.0.flows.1.delayed_ack => got 0 | from 1 to 65535, or "dynamic"
station.0.flows.1.delayed_ack=dynamc => station.0.flows.1.delayed_ack => got "dynamc" | or "dynamic"
station.0.flows.1.delayed_ack=-2 => station.0.flows.1.delayed_ack => got -2 | or "dynamic"
cell.queue.limit=endless => cell.queue.limit => got "endless" | or "unlimited"
station.0.flows.1.min_rto=0 => station.0.flows.1.min_rto => got 0 s | above 0
station.0.flows.1.start=10 => station.0.flows.1.start => got 10 s | the end of the run, 10 s
station.0.flows.1.stop=0 => station.0.flows.1.stop => got 0 s | after the flow's start
station.0.flows.1={direction='up',start=2,stop=1} => station.0.flows.1.stop => got 1 s | start, 2 s
station.0.flows.1.transport=udp => station.0.flows.1.rate => missing | "1 Mbps"
station.0.flows.1={direction='up',transport='udp',application='bulk'} => station.0.flows.1.application => got "bulk" over udp | "cbr", "poisson", "on-off", "voip", "video-call", "trace", "ping" over udp
station.0.flows.1.application=cbr => station.0.flows.1.application => got "cbr" over newreno | "stream", "trace" over TCP
station.0.flows.1.rate=1 Mbps => station.0.flows.1.rate => got 1 Mbps | no rate with application "bulk"
station.0.flows.1={direction='up',transport='udp',rate='unlimited'} => station.0.flows.1.rate => unlimited | "1 Mbps"
station.0.flows.1={direction='up',transport='udp',rate=1e6,spm_marking=true} => station.0.flows.1.spm_marking => got true | accepted: false
# Applications and distributions.
station.0.flows.0.application=3 => station.0.flows.0.application => got 3 | kind = "bulk" | "poisson"
station.0.flows.0.application=['bulk'] => station.0.flows.0.application => got a list | kind = "bulk"
station.0.flows.0.application=bulky => station.0.flows.0.application => did you mean "bulk"?
station.0.flows.0.application={on='1 s'} => station.0.flows.0.application.on => `on` is no parameter of a "bulk" application; accepted: kind
station.0.flows.0.application=poisson => station.0.flows.0.application => got "poisson" over newreno | "stream", "trace" over TCP
station.0.flows.0.application=voip => station.0.flows.0.application => got "voip" over newreno | "voip", "video-call"
station.0.flows.0.direction=bot => station.0.flows.0.direction => did you mean "both"?
station.0.flows.0={direction='both',transport='udp',application={kind='voip'},rate=1e6} => station.0.flows.0.rate => got 1 Mbps | no rate with application "voip"
station.0.flows.0={direction='both',transport='udp',application={kind='voip'},segment=1460} => station.0.flows.0.segment => got 1460 | 160, 20 ms of codec "g711"
station.0.flows.0={direction='both',transport='udp',application={kind='voip',codec='opus'},segment=160} => station.0.flows.0.segment => got 160 | 80, 20 ms of codec "opus"
station.0.flows.0={direction='both',transport='udp',application={kind='voip',codec='g729'}} => station.0.flows.0.application.codec => got "g729"
station.0.flows.0={direction='both',transport='udp',application={kind='voip',playout='adaptve'}} => station.0.flows.0.application.playout => did you mean "adaptive"?
station.0.flows.0={direction='both',transport='udp',application={kind='voip',buffer=0}} => station.0.flows.0.application.buffer => got 0 s | above 0
station.0.flows.0={direction='both',transport='udp',application={kind='voip',buffer='11 s'}} => station.0.flows.0.application.buffer => got 11 s | 10 s
station.0.flows.0={direction='both',transport='udp',application={kind='voip',ie=95}} => station.0.flows.0.application.ie => got 95 | from 0 to 94
station.0.flows.0={direction='both',transport='udp',application={kind='voip',bpl=0}} => station.0.flows.0.application.bpl => got 0 | from 1 to 100
station.0.flows.0={direction='up',transport='udp',application='on-off'} => station.0.flows.0.rate => missing | which a "on-off" application needs
station.0.flows.0={direction='up',transport='udp',application={kind='poisson',on=1},rate=1e6} => station.0.flows.0.application.on => no parameter of a "poisson"
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',onn=1},rate=1e6} => station.0.flows.0.application.onn => did you mean `on`? accepted: kind, on, off
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on='1 KB'},rate=1e6} => station.0.flows.0.application.on => its unit "KB" | accepted: a time
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on=true},rate=1e6} => station.0.flows.0.application.on => got true | a time such as "10 s", or a table
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on=[1]},rate=1e6} => station.0.flows.0.application.on => got a list | or a table
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on='1 ms'},rate=1e6} => station.0.flows.0.application.on => got 0.001 s | at least 0.01168 s
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='parreto'}},rate=1e6} => station.0.flows.0.application.on.distribution => did you mean "pareto"? | "exponential"
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={shape=1}},rate=1e6} => station.0.flows.0.application.on.shape => got 1 | from 1.01 to 100
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={mean=-1}},rate=1e6} => station.0.flows.0.application.on.mean => got -1: it is negative
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={mea=1}},rate=1e6} => station.0.flows.0.application.on.mea => did you mean `mean`? accepted: distribution, mean, shape
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='lognormal',shape=2}},rate=1e6} => station.0.flows.0.application.on.shape => `shape` is no parameter of a "lognormal" distribution; accepted: distribution, mean, sigma
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='lognormal',sigma=9}},rate=1e6} => station.0.flows.0.application.on.sigma => got 9 | from 0 to 5
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='trace'}},rate=1e6} => station.0.flows.0.application.on => a trace of nothing | a list of values
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='trace',values=[]}},rate=1e6} => station.0.flows.0.application.on.values => got 0 values | from 1 to
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='trace',values=[1,'x']}},rate=1e6} => station.0.flows.0.application.on.values => got "x" | a time from 0
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',on={distribution='trace',mean=1}},rate=1e6} => station.0.flows.0.application.on.mean => no parameter of a "trace"
station.0.flows.0={direction='up',transport='udp',application={kind='on-off',off={distribution='trace',file='no such'}},rate=1e6} => station.0.flows.0.application.off.file => got "no such": No such file | a text file of values
station.0.flows.0.application=ping => station.0.flows.0.application => got "ping" over newreno | "ping" over udp
station.0.flows.0={direction='up',transport='udp',application='ping',rate=1e6} => station.0.flows.0.rate => got 1 Mbps | no rate with application "ping"
station.0.flows.0={direction='up',transport='udp',application={kind='ping',interval=0}} => station.0.flows.0.application.interval => got 0 | above 0
station.0.flows.0={direction='up',transport='udp',application={kind='ping',interval='0.5 ms'}} => station.0.flows.0.application.interval => got 0.0005 s | from 1 ms to 3600 s
station.0.flows.0={direction='up',transport='udp',application={kind='ping',interval='-1 s'}} => station.0.flows.0.application.interval => negative
station.0.flows.0={direction='up',transport='udp',application={kind='ping',size=64}} => station.0.flows.0.application.size => no parameter of a "ping" application; accepted: kind, interval
station.0.flows.0.application={kind='web',size={distribution='pareto',shape=1}} => station.0.flows.0.application.size.shape => got 1 | from 1.01
station.0.flows.0.application={kind='web',size='30 s'} => station.0.flows.0.application.size => its unit "s" | accepted: a size
station.0.flows.0.application={kind='web',size=0} => station.0.flows.0.application.size => got 0 B | at least 1 B
station.0.flows.0.application={kind='web',size=[]} => station.0.flows.0.application.size => got a list | a size such as "30 KB", or a table
station.0.flows.0.application={kind='web',sessions=0} => station.0.flows.0.application.sessions => got 0 | from 1 to 1000000, or "unlimited"
station.0.flows.0.application={kind='web',sessions='many'} => station.0.flows.0.application.sessions => got "many" | or "unlimited"
station.0.flows.0.application={kind='web',opened_by='server'} => station.0.flows.0.application.opened_by => got "server" | "receiver", "sender"
station.0.flows.0.application={kind='web',request=2000} => station.0.flows.0.application.request => got 2000 | the segment, 1460
station.0.flows.0.application={kind='web',pad=1} => station.0.flows.0.application.pad => got 1 | true or false
station.0.flows.0.application={kind='file',think=1} => station.0.flows.0.application.think => no parameter of a "file" application; accepted: kind, size, pad
station.0.flows.0={direction='down',application={kind='stream',rates=[]}} => station.0.flows.0.application.rates => accepted: a list of 1 to 100 rates
station.0.flows.0={direction='down',application={kind='stream',rates=['2 Mbps','1 Mbps']}} => station.0.flows.0.application.rates => in ascending order
station.0.flows.0={direction='down',application={kind='stream',chunk=0}} => station.0.flows.0.application.chunk => got 0 s | above 0
station.0.flows.0={direction='down',application={kind='stream',buffer='1 s'}} => station.0.flows.0.application.buffer => got 1 | at least chunk, 4
station.0.flows.0={direction='down',application={kind='stream',cushion='200 s'}} => station.0.flows.0.application.cushion => got 200 s | the buffer less the reservoir
station.0.flows.0={direction='down',application={kind='stream',request=0}} => station.0.flows.0.application.request => from 1 to
station.0.flows.0={direction='down',application={kind='stream',request=1461}} => station.0.flows.0.application.request => got 1461 | the segment, 1460
station.0.flows.0={direction='down',transport='udp',application='stream',rate=1} => station.0.flows.0.application => got "stream" over udp
station.0.flows.0={direction='up',transport='udp',application='web',rate=1} => station.0.flows.0.application => got "web" over udp | "bulk", "file", "web", "page", "arrivals", "stream", "trace" over TCP
station.0.flows.0={direction='up',transport='udp',application='page',rate=1} => station.0.flows.0.application => got "page" over udp | "page", "arrivals", "stream", "trace" over TCP
station.0.flows.0={direction='up',transport='tfrc',application='arrivals'} => station.0.flows.0.application => got "arrivals" over tfrc | "bulk" over tfrc
station.0.flows.0={direction='up',application='page',rate='1 Mbps'} => station.0.flows.0.rate => got 1 Mbps | no rate with application "page"
station.0.flows.0.application={kind='page',form='medium'} => station.0.flows.0.application.form => got "medium" | "small", "large"
station.0.flows.0.application={kind='page',objects=0} => station.0.flows.0.application.objects => got 0 | from 1 to 10000
station.0.flows.0.application={kind='page',size=0} => station.0.flows.0.application.size => got 0 B | at least 1 B
station.0.flows.0.application={kind='page',depth=0} => station.0.flows.0.application.depth => got 0 | from 1 to 100
station.0.flows.0.application={kind='page',connections=101} => station.0.flows.0.application.connections => got 101 | from 1 to 100
station.0.flows.0.application={kind='page',keeping='old'} => station.0.flows.0.application.keeping => got "old" | "kept", "new"
station.0.flows.0.application={kind='page',request=0} => station.0.flows.0.application.request => got 0 | from 1
station.0.flows.0.application={kind='page',request=2000} => station.0.flows.0.application.request => got 2000 | from 1 to the segment, 1460
station.0.flows.0.application={kind='page',think=-1} => station.0.flows.0.application.think => got -1: it is negative
station.0.flows.0.application={kind='page',pages=0} => station.0.flows.0.application.pages => got 0 | from 1 to 1000000, or "unlimited"
station.0.flows.0.application={kind='page',sessions=1} => station.0.flows.0.application.sessions => no parameter of a "page" application
station.0.flows.0.application={kind='arrivals',size=0} => station.0.flows.0.application.size => got 0 B | at least 1 B
station.0.flows.0.application={kind='arrivals',gap=0} => station.0.flows.0.application.gap => got 0 s | at least 0.000001 s
station.0.flows.0.application={kind='arrivals',gap='-1 s'} => station.0.flows.0.application.gap => negative
station.0.flows.0.application={kind='arrivals',arrivals=0} => station.0.flows.0.application.arrivals => got 0 | from 1 to 10000000, or "unlimited"
station.0.flows.0.application={kind='arrivals',concurrent=1025} => station.0.flows.0.application.concurrent => got 1025 | from 1 to 1024
station.0.flows.0.application={kind='arrivals',beyond='queue'} => station.0.flows.0.application.beyond => got "queue" | "wait", "drop"
station.0.flows.0.application={kind='arrivals',opened_by='server'} => station.0.flows.0.application.opened_by => got "server" | "receiver", "sender"
station.0.flows.0.application={kind='arrivals',request=2000} => station.0.flows.0.application.request => got 2000 | from 0 to the segment, 1460
station.0.count=100 && station.0.flows.0.application={kind='arrivals',concurrent=1024} => station => got flows with | up to 100000 connections
station.0.flows.0.idle_restart=rfc2861 => station.0.flows.0.idle_restart => got "rfc2861" | "linux", "rfc5681", "none"
station.0.flows.0.min_rto=120 s => station.0.flows.0.min_rto => got 120 s | up to 60 s
station.0.flows.0.initial_rto=500 s => station.0.flows.0.initial_rto => got 500 s | up to 60 s
station.0.flows.0.transport={kind='vegas',alpha=5,beta=1} => station.0.flows.0.transport.beta => got 1 | at least alpha, 5
station.0.flows.0.transport={kind='vegas',alpha='x'} => station.0.flows.0.transport.alpha => got "x" | a number from
station.0.count=2000 => station.0.flows.0.start => got none | before the end of the run
cell.queue.limit=1 B => cell.queue.limit => got 1 B | at least
wired.queue={limit='100 B'} => wired.queue.limit => got 100 B | at least
wired.queue.kind=fifo => wired.queue.kind => got "fifo" | "droptail"
station.0.flows.0={direction='up',transport='udp',application='video-call'} => station.0.flows.0.rate => missing | which a "video-call" application needs
station.0.flows.0={direction='up',transport='udp',application='video-cal',rate=1} => station.0.flows.0.application => got "video-cal"; did you mean "video-call"?
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',frame_rate=0},rate=1e6} => station.0.flows.0.application.frame_rate => got 0 | from 1 to 240
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',key_interval=0},rate=1e6} => station.0.flows.0.application.key_interval => got 0 | above 0
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',key_size=0.5},rate=1e6} => station.0.flows.0.application.key_size => got 0.5 | from 1 to 100
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',pacing=1.5},rate=1e6} => station.0.flows.0.application.pacing => got 1.5 | from 0 to 1
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',resume='key'},rate=1e6} => station.0.flows.0.application.resume => got "key" | "key-frame", "any-frame"
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',variation='1 KB'},rate=1e6} => station.0.flows.0.application.variation => got "1 KB" | a number from 0
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',variation=-1},rate=1e6} => station.0.flows.0.application.variation => got -1 | a number from 0
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',variation=0},rate=1e6} => station.0.flows.0.application.variation => got 0 | above 0 on average
station.0.flows.0={direction='up',transport='udp',application={kind='video-call',key_interval='1 min'},rate='900 Gbps'} => station.0.flows.0.application.key_size => got key frames of | 1 B to 100 MB
station.0.flows.0={direction='up',transport='udp',rate='1 Mbps',application={kind='video-call',adaptation='nada'}} => station.0.flows.0.application.adaptation => got "nada" | "none", "gcc-loss"
station.0.flows.0={direction='up',transport='udp',rate='1 Mbps',application={kind='video-call',min_rate=0}} => station.0.flows.0.application.min_rate => got 0
station.0.flows.0={direction='up',transport='udp',rate='1 Mbps',application={kind='video-call',max_rate='100 kbps'}} => station.0.flows.0.application.max_rate => at least min_rate
station.0.flows.0={direction='up',transport='udp',rate='2 Mbps',application={kind='video-call',adaptation='gcc-loss'}} => station.0.flows.0.rate => got 2 Mbps | from min_rate to max_rate
station.0.flows.0={direction='up',transport='udp',application='video-call',rate=1} => station.0.flows.0.application.key_size => got key frames of 0 B
station.0.flows.0={direction='up',transport='udp',application='trace'} => station.0.flows.0.application => a trace of nothing | file or packets
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]]},rate=1} => station.0.flows.0.rate => got 1 bps | no rate with application "trace"
station.0.flows.0={direction='up',application={kind='trace',packets=[[0,100]]}} => station.0.flows.0.application => got "trace" over newreno | "ping" over udp
station.0.flows.0={direction='up',transport='udp',application={kind='trace',file='no such.pcap'}} => station.0.flows.0.application.file => got "no such.pcap": No such file | a CSV, pcap or pcapng file
station.0.flows.0={direction='up',transport='udp',application={kind='trace',file=1}} => station.0.flows.0.application.file => got 1 | a CSV, pcap or pcapng file
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[]}} => station.0.flows.0.application.packets => got 0 packets | from 1 to 100000
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=1}} => station.0.flows.0.application.packets => got 1 | a list of packets
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0]]}} => station.0.flows.0.application.packets => packet 1: got a list | [time, size]
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100],[-1,100]]}} => station.0.flows.0.application.packets => packet 2: got -1: it is negative
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[1,100],[0,100]]}} => station.0.flows.0.application.packets => packet 2: got 0 s after 1 s | times in order
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,0]]}} => station.0.flows.0.application.packets => packet 1: got 0 B | from 1 to 4294967295 B
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100,'dwn']]}} => station.0.flows.0.application.packets => packet 1: got "dwn"; did you mean "down"?
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100],[0,28]]}} => station.0.flows.0.application.packets => packet 2: got 28 B | from 29 to 1500 B
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,1501]]}} => station.0.flows.0.application.packets => packet 1: got 1501 B | from 29 to 1500 B
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100,'down']]}} => station.0.flows.0.application.packets => got no packet that goes up
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100],[2,100]],repeat='1 s'}} => station.0.flows.0.application.repeat => got 1 s | and the length of the trace, 2 s
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]],repeat=0}} => station.0.flows.0.application.repeat => got 0 | above 0
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]],address='1.2.3.4'}} => station.0.flows.0.application => got address without a capture
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]],address='1.2.3'}} => station.0.flows.0.application.address => got "1.2.3" | an IP address
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]],sent_as='transfers'}} => station.0.flows.0.application => got "trace" over udp | sent_as = "transfers"
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='flows'} => station.0.flows.0.application.sent_as => got "flows" | "datagrams", "transfers"
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='transfers',concurrent=0} => station.0.flows.0.application.concurrent => got 0 | from 1 to 1024
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='transfers',beyond='queue'} => station.0.flows.0.application.beyond => got "queue" | "wait", "drop"
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='transfers',opened_by='both'} => station.0.flows.0.application.opened_by => got "both"
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='transfers',request=1500} => station.0.flows.0.application.request => got 1500
station.0.flows.0.application={kind='trace',packets=[[0,100]],sent_as='transfers',repeat=0} => station.0.flows.0.application.repeat => got 0 | above 0
station.0.flows.0={direction='up',transport='udp',application={kind='trace',packets=[[0,100]],times='epoch'}} => station.0.flows.0.application.times => got "epoch" | "from-first", "as-given"
trace.interval=0 => trace.interval => got 0 s | above 0
trace.interval=1 ns => trace.interval => 000000000 samples | up to 10000000
name=3 => name => got 3 | a text in quotes
# Keys that lead nowhere.
station.1.count=3 => station.1 => got index "1" | index 0, for there is 1 station entry
station.0.flows.2.window=3 => station.0.flows.2 => got index "2" | from 0 to 1, for there are 2 flows
station.first.count=3 => station.first => got index "first" | index 0
stations.0.count=3 => stations.0 => there are 0 stations entries | accepted: no index
duration.s=3 => duration => "10 s" | accepted: a key that ends here
cell..phy=3 => cell..phy => an empty part | accepted: a dotted key
"#;

/// Whole texts.
const TEXTS: &[(&[u8], &str, &[&str])] = &[
    (b"", "station", &["missing", "at least one [[station]]"]),
    (b"duration = \n", "line 1, column", &["not TOML", "accepted: a scenario as TOML"]),
    (b"[cell]\nphy = 802.11b\n", "line 2, column", &["not TOML", "accepted: a scenario as TOML"]),
    (b"a = 1\na = 2\n", "line 2, column 1", &["not TOML", "duplicate key"]),
    (b"{\"duration\": 3}", "line 1, column 1", &["not TOML"]),
    (b"<html>\n</html>\n", "line 1, column", &["not TOML"]),
    (b"\x7fELF\x02\x01\x01\0\0\0", "line 1, column 8", &["binary file", "TOML text"]),
    (b"name = \"caf\xe9\"\n", "line 1, column 12", &["not UTF-8", "TOML text"]),
    (b"duration = 99999999999999999999\n", "line 1, column 12", &["a number out of range"]),
    (b"duration = 2024-01-01\n", "duration", &["\"2024-01-01\"", "accepted: a time"]),
    (b"\"two\\nlines\" = 1\n", "two\\nlines", &["unknown key `two\\nlines`", "accepted: name"]),
    (b"[station]\ncount = 1\n", "station", &["got a table", "accepted: a list", "[[station]]"]),
    (
        b"[[station]]\n[station.flows]\ndirection = \"up\"\n",
        "station.0.flows",
        &["[[station.flows]]"],
    ),
];

/// Fails unless the error is one line that says what is accepted.
/// An 802.11b station must know the basic rates of its 802.11g cell, and has responses of its own.
#[test]
fn an_802_11b_station_restricts_an_802_11g_cell() {
    for (keys, field, texts) in [
        (json!({ "basic_rates": [6e6] }), "cell.basic_rates", ["got 6 Mbps", "rates of 802.11b"]),
        (json!({ "control_rate": 6e6 }), "cell.control_rate", ["got 6 Mbps with", "\"basic\""]),
        (json!({ "protection": "on" }), "cell.protection", ["got \"on\"", "\"rts-cts\""]),
        (json!({ "preamble": "short" }), "cell.preamble", ["phy \"802.11g\"", "no preamble"]),
    ] {
        let mut cell = json!({ "phy": "802.11g" });
        cell.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let station = json!({ "phy": "802.11b", "flows": [{ "direction": "up" }] });
        let outcome = resolve(json!({ "cell": cell, "station": [station] }), "bad.toml");
        check(&keys.to_string(), outcome, field, &texts);
    }
    let station = json!({ "phy": "802.11b", "data_rate": 54e6, "flows": [{ "direction": "up" }] });
    let outcome =
        resolve(json!({ "cell": { "phy": "802.11g" }, "station": [station] }), "bad.toml");
    check(
        "54 Mbps",
        outcome,
        "station.0.data_rate",
        &["got 54 Mbps", "a rate of 802.11b", "11 Mbps"],
    );
}

pub(super) fn error_of(err: &ScenarioError) {
    let line = err.to_string();
    assert!(!line.contains(['\n', '\r']), "{line}");
    assert!(line.contains("accepted: "), "{line}");
    let words = ["invalid type", "invalid value", "expected struct"];
    assert!(!words.iter().any(|word| line.contains(word)), "serde's own words: {line}");
    assert!(line.len() < 700, "{line}");
}

pub(super) fn check(
    what: &str,
    outcome: Result<Scenario, ScenarioError>,
    field: &str,
    texts: &[&str],
) {
    let err = match outcome {
        Ok(scenario) => panic!("{what} was accepted: {scenario:?}"),
        Err(err) => err,
    };
    let line = err.to_string();
    error_of(&err);
    assert!(line.starts_with("bad.toml: "), "{what}: {line}");
    let same = err.field == field || (field.starts_with("line") && err.field.starts_with(field));
    assert!(same, "{what}: {line}");
    for text in texts {
        assert!(line.contains(text), "{what}: no {text:?} in: {line}");
    }
}

#[test]
fn broken_overrides_are_told_in_one_line() {
    resolve(document_from_toml(GOOD.as_bytes(), "good").unwrap(), "good").unwrap();
    for line in OVERRIDES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let [change, field, texts] = line.split(" => ").collect::<Vec<_>>().try_into().unwrap();
        let texts: Vec<&str> = texts.split(" | ").collect();
        let mut document = document_from_toml(GOOD.as_bytes(), "bad.toml").unwrap();
        let changes = change.split(" && ").map(|change| change.split_once('=').unwrap());
        let changed: Result<Vec<()>, _> =
            changes.map(|(key, value)| set(&mut document, key, value, "bad.toml")).collect();
        let outcome = changed.and_then(|_| resolve(document, "bad.toml"));
        check(change, outcome, field, &texts);
    }
}

#[test]
fn broken_texts_are_told_in_one_line() {
    for (text, field, texts) in TEXTS {
        let outcome =
            document_from_toml(text, "bad.toml").and_then(|document| resolve(document, "bad.toml"));
        check(&String::from_utf8_lossy(text), outcome, field, texts);
    }
}

#[test]
fn documents_that_are_no_table_are_refused() {
    for document in [
        serde_json::json!([]),
        serde_json::json!(["a", 1]),
        serde_json::json!(3),
        serde_json::Value::Null,
    ] {
        let outcome = resolve(document.clone(), "bad.toml");
        check(&document.to_string(), outcome, "", &["accepted: a table"]);
    }
}

#[test]
fn long_input_gives_a_short_line() {
    let long = "x".repeat(100_000);
    for text in [
        format!("duration = \"{long}\""),
        format!("name = \"a\"\n{long} = 3"),
        format!("[cell]\nphy = \"{long}\""),
        format!("[cell]\nmac_overhead = \"{long}\""),
        format!("[cell]\nrts_threshold = \"{long}\""),
        format!("duration = {long}"),
        format!("duration = \"1 {long}\""),
        format!("[cell]\ncontrol_rate = \"{long}\""),
        format!("[[station]]\nname = \"{long}\"\nflows = [{{ direction = \"up\" }}]"),
        format!("[[station]]\nflows = [{{ direction = \"up\", group = \"{long}\" }}]"),
    ] {
        let err = document_from_toml(text.as_bytes(), "bad.toml")
            .and_then(|document| resolve(document, "bad.toml"))
            .unwrap_err();
        error_of(&err);
    }
}
