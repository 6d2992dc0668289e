// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The attributes of programs and functions, and the helpers of the kernel.

#ifndef EVENAIRD_HELPERS_H
#define EVENAIRD_HELPERS_H

#include <linux/bpf.h>

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

#endif
