// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What the policer knows of a packet: its protocol, and its size at IP level.

#ifndef EVENAIRD_PACKET_H
#define EVENAIRD_PACKET_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <stdbool.h>

#include "helpers.h"

// Bytes before the network header: 14 on an Ethernet device, 0 on an L3 device.
const volatile __u32 mac_header = ETH_HLEN;

#define HOST_ORDER(x) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? (x) : __builtin_bswap16(x))

enum protocol { TCP, UDP, OTHER, PROTOCOLS };

struct packet {
	__u32 packets; // after segmentation
	__u32 bytes;   // at IP level
	__u32 network; // offset of the network header
	__u32 type;    // EtherType after VLAN tags, host order
	bool tagged;
	enum protocol protocol;
};

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

#endif
