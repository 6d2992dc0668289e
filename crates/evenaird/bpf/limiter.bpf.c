// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The data path on tcx: a token-bucket policer at the ingress of the device towards the access
// point, counters at its ingress and egress, and a program that sets the policer's rates.
//
// Tokens are in 1e-9 bit: a rate in bit/s is then tokens per nanosecond, and nothing is rounded.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))

static void *(*map_lookup_elem)(void *map, const void *key) = (void *)BPF_FUNC_map_lookup_elem;
static __u64 (*ktime_get_ns)(void) = (void *)BPF_FUNC_ktime_get_ns;
static long (*skb_load_bytes)(const void *skb, __u32 offset, void *to, __u32 len) =
	(void *)BPF_FUNC_skb_load_bytes;
static long (*fib_lookup)(void *skb, struct bpf_fib_lookup *params, int len, __u32 flags) =
	(void *)BPF_FUNC_fib_lookup;
static struct bpf_sock *(*sk_lookup_udp)(void *skb, struct bpf_sock_tuple *tuple, __u32 len,
					 __u64 netns, __u64 flags) = (void *)BPF_FUNC_sk_lookup_udp;
static long (*sk_release)(struct bpf_sock *sock) = (void *)BPF_FUNC_sk_release;
static long (*spin_lock)(struct bpf_spin_lock *lock) = (void *)BPF_FUNC_spin_lock;
static long (*spin_unlock)(struct bpf_spin_lock *lock) = (void *)BPF_FUNC_spin_unlock;

// Bytes before the network header: 14 on an Ethernet device, 0 on an L3 device.
const volatile __u32 mac_header = ETH_HLEN;
// Tests only: the time is in the first two words of the context's cb.
const volatile bool injected_clock = false;

#define HOST_ORDER(x) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (x) : __builtin_bswap16(x))
#define UNLIMITED (~0ULL)
#define TOKENS_PER_BYTE 8000000000ULL

struct bucket {
	struct bpf_spin_lock lock;
	__u64 rate;      // bit/s
	__u64 size;      // tokens; 0: not in use
	__u64 fill_time; // ns in which an empty bucket becomes full
	__u64 tokens;
	__u64 updated; // ns
	__u64 expires; // ns; later, everything passes
};

enum { ALL, UDP_ONLY, BUCKETS };

struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[BUCKETS];
	__u32 *key;
	struct bucket *value;
} buckets SEC(".maps");

enum direction { UP, DOWN, DROPPED, DIRECTIONS };
enum protocol { TCP, UDP, OTHER, PROTOCOLS };

struct traffic {
	__u64 packets;
	__u64 bytes;
};

// By direction * PROTOCOLS + protocol. An element each: without CAP_PERFMON the kernel refuses a
// pointer into a larger one that depends on the packet.
struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	int (*max_entries)[DIRECTIONS * PROTOCOLS];
	__u32 *key;
	struct traffic *value;
} counters SEC(".maps");

// What user space passes to `evenaird_policy`, after an Ethernet header.
struct policy {
	__u64 rate; // bit/s
	__u64 size; // tokens
	__u64 udp_rate;
	__u64 udp_size; // 0: UDP has no bucket of its own
	__u64 lease;    // ns; ~0: for ever
};

// The SNMP agent whose replies are the loss signal; user space sets it.
struct agent {
	__u8 address[16]; // of IPv4: the first four
	__u8 port[2];	  // network order
	__u8 family;	  // AF_INET, AF_INET6; 0: no agent
	__u8 unused;
};

struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[1];
	__u32 *key;
	struct agent *value;
} agents SEC(".maps");

// The link-local addresses of the device, which user space sets; ::, where there are fewer.
#define OWN_ADDRESSES 4
struct address {
	__u8 bytes[16];
};

struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	int (*max_entries)[OWN_ADDRESSES];
	__u32 *key;
	struct address *value;
} own SEC(".maps");

struct packet {
	__u32 packets; // after segmentation
	__u32 bytes;   // at IP level
	__u32 network; // offset of the network header
	__u32 type;    // EtherType after VLAN tags, host order
	bool tagged;
	enum protocol protocol;
};

INLINE __u64 now(struct __sk_buff *skb)
{
	return injected_clock ? (__u64)skb->cb[1] << 32 | skb->cb[0] : ktime_get_ns();
}

// A processor that has waited for the lock comes with a time before `updated`: nothing accrues.
INLINE void accrue(struct bucket *b, __u64 time)
{
	if (time <= b->updated)
		return;
	__u64 elapsed = time - b->updated;
	b->updated = time;
	// Before `fill_time` the product is below `size`, so that the sum cannot overflow.
	if (elapsed >= b->fill_time)
		b->tokens = b->size;
	else
		b->tokens += b->rate * elapsed;
	if (b->tokens > b->size)
		b->tokens = b->size;
}

INLINE bool take(struct bucket *b, __u64 time, __u32 bytes)
{
	__u64 need = bytes * TOKENS_PER_BYTE;
	bool pass = true;

	spin_lock(&b->lock);
	accrue(b, time);
	if (b->size && b->rate != UNLIMITED && time <= b->expires) {
		pass = b->tokens >= need;
		if (pass)
			b->tokens -= need;
	}
	spin_unlock(&b->lock);
	return pass;
}

// The tokens stay, up to the new size. A bucket that was not in use starts full.
INLINE void change(struct bucket *b, __u64 time, __u64 rate, __u64 size, __u64 expires)
{
	__u64 fill_time = rate && size ? (size - 1) / rate + 1 : UNLIMITED;

	spin_lock(&b->lock);
	accrue(b, time);
	if (!b->size || b->tokens > size)
		b->tokens = size;
	b->rate = rate;
	b->size = size;
	b->fill_time = fill_time;
	b->updated = time > b->updated ? time : b->updated;
	b->expires = expires;
	spin_unlock(&b->lock);
}

INLINE enum protocol protocol_of(__u8 number)
{
	return number == IPPROTO_TCP ? TCP : number == IPPROTO_UDP ? UDP : OTHER;
}

// Length of a transport header, 0 if it cannot be read.
INLINE __u32 transport_header(struct __sk_buff *skb, __u32 offset, enum protocol protocol)
{
	__u8 data_offset;

	if (protocol == UDP)
		return 8;
	if (protocol != TCP || skb_load_bytes(skb, offset + 12, &data_offset, 1))
		return 0;
	return (data_offset >> 4) * 4;
}

// Each segment of a super-packet has the headers from `network` to the payload. Devices that
// leave `gso_segs` to the receiver (virtio, TUN) give `gso_size`.
INLINE void segment(struct __sk_buff *skb, struct packet *p, __u32 transport)
{
	__u32 headers = transport - p->network + transport_header(skb, transport, p->protocol);
	__u32 segments = skb->gso_segs;

	if (!segments && p->bytes > headers)
		segments = (p->bytes - headers + skb->gso_size - 1) / skb->gso_size;
	if (segments > 1) {
		p->packets = segments;
		p->bytes += (segments - 1) * headers;
	}
}

INLINE __u32 be16(const __u8 *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

// RFC 791, section 3.1. What cannot be parsed keeps the size that the device gives it.
INLINE void parse_ipv4(struct __sk_buff *skb, struct packet *p)
{
	__u8 header[20];

	if (skb_load_bytes(skb, p->network, header, sizeof(header)))
		return;
	__u32 header_length = (header[0] & 15) * 4;
	__u32 total_length = be16(header + 2);
	if (header[0] >> 4 != 4 || header_length < sizeof(header))
		return;
	if (!skb->gso_size && (total_length < header_length || total_length > p->bytes))
		return;

	p->protocol = protocol_of(header[9]);
	if (skb->gso_size)
		segment(skb, p, p->network + header_length);
	else
		p->bytes = total_length; // without the padding of a short Ethernet frame
}

// RFC 8200, section 4: at most this many extension headers are followed.
#define EXTENSION_HEADERS 8

INLINE void parse_ipv6(struct __sk_buff *skb, struct packet *p)
{
	__u8 header[40];

	if (skb_load_bytes(skb, p->network, header, sizeof(header)))
		return;
	__u32 payload_length = be16(header + 4);
	if (header[0] >> 4 != 6 || payload_length + sizeof(header) > p->bytes)
		return;

	__u8 next = header[6];
	__u32 offset = p->network + sizeof(header);
	for (int i = 0; i < EXTENSION_HEADERS; i++) {
		__u8 extension[4];

		if (next != IPPROTO_HOPOPTS && next != IPPROTO_ROUTING && next != IPPROTO_DSTOPTS &&
		    next != IPPROTO_FRAGMENT && next != IPPROTO_AH)
			break;
		if (skb_load_bytes(skb, offset, extension, sizeof(extension))) {
			next = IPPROTO_NONE;
			break;
		}
		if (next == IPPROTO_FRAGMENT) {
			offset += 8;
			next = extension[0];
			// Another than the first has no transport header.
			if (be16(extension + 2) >> 3)
				break;
		} else {
			offset += next == IPPROTO_AH ? (extension[1] + 2) * 4 : (extension[1] + 1) * 8;
			next = extension[0];
		}
	}

	p->protocol = protocol_of(next);
	if (skb->gso_size)
		segment(skb, p, offset);
	else if (payload_length) // 0: jumbogram (RFC 2675)
		p->bytes = payload_length + sizeof(header);
}

// IEEE 802.1Q, 9.5. The kernel takes the first tag off before the program runs, and all that follow if
// their VLAN is 0. What has more tags than this is charged as it is.
#define VLAN_TAGS 8

INLINE struct packet parse(struct __sk_buff *skb)
{
	struct packet p = {
		.packets = 1,
		.network = mac_header,
		.type = HOST_ORDER((__u16)skb->protocol),
		.tagged = skb->vlan_present,
		.protocol = OTHER,
	};

	for (int i = 0; i < VLAN_TAGS; i++) {
		__u8 tag[4];

		if ((p.type != ETH_P_8021Q && p.type != ETH_P_8021AD) ||
		    skb_load_bytes(skb, p.network, tag, sizeof(tag)))
			break;
		p.type = be16(tag + 2);
		p.network += sizeof(tag);
		p.tagged = true;
	}
	p.bytes = skb->len > p.network ? skb->len - p.network : 0;
	if (p.type == ETH_P_IP)
		parse_ipv4(skb, &p);
	else if (p.type == ETH_P_IPV6)
		parse_ipv6(skb, &p);
	return p;
}

#include "exempt.h"

INLINE void count(const struct packet *p, enum direction direction)
{
	__u32 key = direction * PROTOCOLS + p->protocol;
	struct traffic *t = map_lookup_elem(&counters, &key);

	if (!t)
		return;
	t->packets += p->packets;
	t->bytes += p->bytes;
}

INLINE struct bucket *bucket(__u32 key)
{
	return map_lookup_elem(&buckets, &key);
}

INLINE struct bucket *bucket_of(const struct packet *p)
{
	if (p->protocol == UDP) {
		struct bucket *b = bucket(UDP_ONLY);
		if (b && b->size)
			return b;
	}
	return bucket(ALL);
}

// Packets that pass go on to the next program of the device (TC_ACT_UNSPEC).
SEC("classifier")
int evenaird_up(struct __sk_buff *skb)
{
	struct packet p = parse(skb);

	if (!is_exempt(skb, &p)) {
		struct bucket *b = bucket_of(&p);
		if (b && !take(b, now(skb), p.bytes)) {
			count(&p, DROPPED);
			return TC_ACT_SHOT;
		}
	}
	count(&p, UP);
	return TC_ACT_UNSPEC;
}

SEC("classifier")
int evenaird_down(struct __sk_buff *skb)
{
	struct packet p = parse(skb);

	count(&p, DOWN);
	return TC_ACT_UNSPEC;
}

// User space runs this program with a policy as packet. So a change takes the time at which it
// happens, under the bucket's lock, and all changes between two packets count.
SEC("classifier")
int evenaird_policy(struct __sk_buff *skb)
{
	struct policy policy;

	if (skb_load_bytes(skb, ETH_HLEN, &policy, sizeof(policy)))
		return TC_ACT_SHOT;
	__u64 time = now(skb);
	__u64 expires = policy.lease < ~0ULL - time ? time + policy.lease : ~0ULL;
	struct bucket *all = bucket(ALL), *udp = bucket(UDP_ONLY);
	if (!all || !udp)
		return TC_ACT_SHOT;
	change(all, time, policy.rate, policy.size, expires);
	change(udp, time, policy.udp_rate, policy.udp_size, expires);
	return TC_ACT_UNSPEC;
}

// `fib_lookup` is for programs that are compatible with the GPL. "Dual MIT/GPL" is the string for MIT
// code among those that the kernel knows.
char LICENSE[] SEC("license") = "Dual MIT/GPL";
