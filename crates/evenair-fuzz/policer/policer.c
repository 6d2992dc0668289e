// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The policer's programs as functions of this process, with stand-ins for the kernel's helpers.

#include <string.h>

#include "../../evenaird/bpf/limiter.bpf.c"

// What the kernel would know of a packet, and would answer. In Rust: policer.rs.
struct frame {
	const __u8 *bytes;
	__u32 length;
	__u32 type; // EtherType, host order
	__u32 tagged;
	__u32 pkt_type;
	__u32 gso_segs;
	__u32 gso_size;
	__s32 route;  // result of a route lookup
	__u32 socket; // state of the socket; 0: there is none
	__u64 now;
};

static struct bucket the_buckets[BUCKETS];
static struct traffic the_counters[DIRECTIONS * PROTOCOLS];
static struct agent the_agent;
static struct address the_own[OWN_ADDRESSES];
static const struct frame *current;
static struct bpf_sock the_socket;
static int references;

static void *lookup(void *map, const void *key)
{
	__u32 index = *(const __u32 *)key;

	if (map == &buckets)
		return index < BUCKETS ? &the_buckets[index] : NULL;
	if (map == &counters)
		return index < DIRECTIONS * PROTOCOLS ? &the_counters[index] : NULL;
	if (map == &own)
		return index < OWN_ADDRESSES ? &the_own[index] : NULL;
	return index == 0 ? &the_agent : NULL;
}

static __u64 clock_ns(void)
{
	return current->now;
}

// As the kernel's: nothing is copied of what is not there whole.
static long load(const void *skb, __u32 offset, void *to, __u32 length)
{
	if (offset > current->length || length > current->length - offset) {
		memset(to, 0, length);
		return -14; // EFAULT
	}
	memcpy(to, current->bytes + offset, length);
	return 0;
}

static long route(void *skb, struct bpf_fib_lookup *params, int length, __u32 flags)
{
	return current->route;
}

static struct bpf_sock *socket_of(void *skb, struct bpf_sock_tuple *tuple, __u32 length,
				  __u64 netns, __u64 flags)
{
	if (!current->socket)
		return NULL;
	the_socket.state = current->socket;
	references++;
	return &the_socket;
}

static long release(struct bpf_sock *sock)
{
	references--;
	return 0;
}

static long lock(struct bpf_spin_lock *lock)
{
	if (lock->val++)
		__builtin_trap();
	return 0;
}

static long unlock(struct bpf_spin_lock *lock)
{
	if (--lock->val)
		__builtin_trap();
	return 0;
}

void policer_start(const struct agent *agent, const struct address *first)
{
	map_lookup_elem = lookup;
	ktime_get_ns = clock_ns;
	skb_load_bytes = load;
	fib_lookup = route;
	sk_lookup_udp = socket_of;
	sk_release = release;
	spin_lock = lock;
	spin_unlock = unlock;
	memset(the_buckets, 0, sizeof(the_buckets));
	memset(the_counters, 0, sizeof(the_counters));
	memset(the_own, 0, sizeof(the_own));
	the_agent = *agent;
	the_own[0] = *first;
}

static int run(int (*program)(struct __sk_buff *), const struct frame *frame)
{
	struct __sk_buff skb = {
		.len = frame->length,
		.protocol = HOST_ORDER((__u16)frame->type),
		.vlan_present = frame->tagged,
		.pkt_type = frame->pkt_type,
		.gso_segs = frame->gso_segs,
		.gso_size = frame->gso_size,
	};

	current = frame;
	int result = program(&skb);
	if (references)
		__builtin_trap();
	return result;
}

int policer_up(const struct frame *frame)
{
	return run(evenaird_up, frame);
}

int policer_policy(const struct frame *frame)
{
	return run(evenaird_policy, frame);
}

const struct traffic *policer_counters(void)
{
	return the_counters;
}
