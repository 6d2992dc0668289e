// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The data path on tcx: a token-bucket policer at the ingress of the device towards the access
// point, counters at its ingress and egress, and a program that sets the policer's rates.
//
// Tokens are in 1e-9 bit: a rate in bit/s is then tokens per nanosecond, and nothing is rounded.

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>

#include "exempt.h"
#include "helpers.h"
#include "packet.h"

// Tests only: the time is in the first two words of the context's cb.
const volatile bool injected_clock = false;

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
