// Marks what a TCP sender sends while its congestion window is below four segments with DSCP EF,
// as the sources of SPM-AF do (Gong, Wu and Williamson 2006, section III-A): data and handshake, of
// IPv4. For the egress of the sender's device, which has no link header.

#include <stddef.h>

#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define CRUCIAL_BELOW 4 /* segments: too few for three duplicate ACKs */
#define EXPEDITED 46    /* DSCP EF, RFC 3246 */
#define SYN 0x02

SEC("tc")
int mark(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;
	struct bpf_tcp_sock *tcp;
	struct iphdr ip;
	__u8 end[2]; /* data offset, flags */
	__u32 at, header;
	__be16 from, to;

	if (!sk || !(sk = bpf_sk_fullsock(sk)) || !(tcp = bpf_tcp_sock(sk)))
		return TC_ACT_OK;
	if (tcp->snd_cwnd >= CRUCIAL_BELOW || bpf_skb_load_bytes(skb, 0, &ip, sizeof(ip)))
		return TC_ACT_OK;
	if (ip.version != 4 || ip.protocol != IPPROTO_TCP)
		return TC_ACT_OK;
	at = ip.ihl * 4;
	if (bpf_skb_load_bytes(skb, at + 12, end, sizeof(end)))
		return TC_ACT_OK;
	header = at + (end[0] >> 4) * 4;
	if (skb->len <= header && !(end[1] & SYN))
		return TC_ACT_OK;
	/* The first 16 bits of the header: version, length and traffic class. */
	if (bpf_skb_load_bytes(skb, 0, &from, sizeof(from)))
		return TC_ACT_OK;
	to = bpf_htons((bpf_ntohs(from) & 0xff03) | EXPEDITED << 2);
	bpf_l3_csum_replace(skb, offsetof(struct iphdr, check), from, to, sizeof(to));
	bpf_skb_store_bytes(skb, 0, &to, sizeof(to), 0);
	return TC_ACT_OK;
}

char _license[] SEC("license") = "Dual MIT/GPL";
