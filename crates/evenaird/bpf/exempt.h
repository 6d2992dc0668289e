// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the policer does not charge: that on which the link and the loss signal depend, and that the
// kernel does not forward.

#ifndef EVENAIRD_EXEMPT_H
#define EVENAIRD_EXEMPT_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <stdbool.h>

#include "helpers.h"
#include "packet.h"

// Of sys/socket.h, which is not a header for BPF.
#define AF_INET 2
#define AF_INET6 10

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

// __builtin_memcmp would call a function that BPF does not have.
INLINE bool is_same(const __u8 *a, const __u8 *b, int length)
{
	__u8 difference = 0;

	for (int i = 0; i < length; i++)
		difference |= a[i] ^ b[i];
	return !difference;
}

INLINE bool is_link_local(const __u8 *address)
{
	return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

INLINE bool is_own(const __u8 *address)
{
	for (__u32 key = 0; key < OWN_ADDRESSES; key++) {
		__u32 index = key;
		struct address *one = map_lookup_elem(&own, &index);
		if (one && is_same(one->bytes, address, 16))
			return true;
	}
	return false;
}

// Whether the kernel delivers or drops a packet of these addresses, and does not forward it. Routes are
// those of this device: a tag may lead to another one. `fib_lookup` takes link-local addresses for such
// that are never forwarded, but the kernel forwards a packet back to the device that it came from.
INLINE bool stays_here(struct __sk_buff *skb, const struct packet *p, __u8 family, const __u8 *from,
		       const __u8 *to)
{
	struct bpf_fib_lookup route = { .family = family, .ifindex = skb->ifindex };

	if (p->tagged || skb->pkt_type != PACKET_HOST)
		return false;
	if (family == AF_INET6) {
		if (is_link_local(to))
			return is_own(to);
		if (is_link_local(from))
			return false;
		__builtin_memcpy(route.ipv6_src, from, 16);
		__builtin_memcpy(route.ipv6_dst, to, 16);
	} else {
		__builtin_memcpy(&route.ipv4_src, from, 4);
		__builtin_memcpy(&route.ipv4_dst, to, 4);
	}
	long result = fib_lookup(skb, &route, sizeof(route), 0);
	return result == BPF_FIB_LKUP_RET_NOT_FWDED || result == BPF_FIB_LKUP_RET_FWD_DISABLED;
}

// Neighbour discovery (RFC 4861, types 133 to 137, hop limit 255, code 0) to a group of the link
// (RFC 4291, 2.7) or to this host. Neither is forwarded, and NAT leaves it alone. Without extension
// headers: RFC 6980 forbids fragments, and a routing header sends it elsewhere.
INLINE bool is_discovery(struct __sk_buff *skb, const struct packet *p)
{
	__u8 header[42];

	if (skb_load_bytes(skb, p->network, header, sizeof(header)))
		return false;
	if (header[0] >> 4 != 6 || header[6] != IPPROTO_ICMPV6 || header[7] != 255)
		return false;
	if (header[40] < 133 || header[40] > 137 || header[41])
		return false;
	if (header[24] == 0xff)
		return (header[25] & 15) == 2;
	return stays_here(skb, p, AF_INET6, header + 8, header + 24);
}

// Whether a UDP socket of this host is connected to the sender, and bound to the receiver.
INLINE bool has_socket(struct __sk_buff *skb, struct bpf_sock_tuple *tuple, __u32 size)
{
	struct bpf_sock *sock = sk_lookup_udp(skb, tuple, size, (__u64)BPF_F_CURRENT_NETNS, 0);

	if (!sock)
		return false;
	bool connected = sock->state == BPF_TCP_ESTABLISHED;
	sk_release(sock);
	return connected;
}

// A reply of the agent to a socket of this host that is connected to it. Without options and
// extension headers, as these may send it elsewhere, and not in fragments, as these have no ports.
INLINE bool is_reply(struct __sk_buff *skb, const struct packet *p)
{
	struct bpf_sock_tuple tuple = {};
	__u32 key = 0;
	struct agent *agent = map_lookup_elem(&agents, &key);

	if (!agent || p->protocol != UDP)
		return false;
	if (agent->family == AF_INET && p->type == ETH_P_IP) {
		__u8 header[28];

		if (skb_load_bytes(skb, p->network, header, sizeof(header)) || header[0] != 0x45 ||
		    be16(header + 6) & 0x3fff || !is_same(header + 12, agent->address, 4) ||
		    !is_same(header + 20, agent->port, 2))
			return false;
		__builtin_memcpy(&tuple.ipv4, header + 12, 12);
		return has_socket(skb, &tuple, sizeof(tuple.ipv4)) &&
		       stays_here(skb, p, AF_INET, header + 12, header + 16);
	}
	if (agent->family == AF_INET6 && p->type == ETH_P_IPV6) {
		__u8 header[48];

		if (skb_load_bytes(skb, p->network, header, sizeof(header)) ||
		    header[6] != IPPROTO_UDP || !is_same(header + 8, agent->address, 16) ||
		    !is_same(header + 40, agent->port, 2))
			return false;
		__builtin_memcpy(&tuple.ipv6, header + 8, 36);
		return has_socket(skb, &tuple, sizeof(tuple.ipv6)) &&
		       stays_here(skb, p, AF_INET6, header + 8, header + 24);
	}
	return false;
}

// An ARP packet of IPv4 over Ethernet has 28 bytes (RFC 826), the shortest Ethernet payload 46.
#define LONGEST_ARP 46

// Whatever is not exempt is charged.
INLINE bool is_exempt(struct __sk_buff *skb, const struct packet *p)
{
	if (skb->pkt_type == PACKET_OTHERHOST || skb->gso_size)
		return false;
	if (p->type == ETH_P_ARP)
		return p->bytes <= LONGEST_ARP;
	if (p->type == ETH_P_PAE)
		return true;
	return (p->type == ETH_P_IPV6 && is_discovery(skb, p)) || is_reply(skb, p);
}

#endif
