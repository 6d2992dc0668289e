// Nodes, packets and PDUs as sentences and labels have them.
import type { AirTrace, TracedFrame, TracedPacket, TracedPdu } from "../engine/result.ts";

/** What the media call things. */
export const WORDS = {
  wlan: { label: "AP", name: "the AP", wait: ["freezes with", "freeze with"], left: "left" },
  wimax: { label: "BS", name: "the base station", wait: ["has", "have"], left: "left to skip" },
};

/** A node as a label has it: "AP", "BS", "sta-3". */
export function nodeLabel(trace: AirTrace, node: number): string {
  return node === 0 ? WORDS[trace.medium].label : trace.nodes[node]!.id;
}

/** A node as sentences have it: "the AP", "sta-3". */
export function nodeName(trace: AirTrace, node: number): string {
  return node === 0 ? WORDS[trace.medium].name : trace.nodes[node]!.id;
}

/** The number of the segment at `seq`, from 1. */
export function segmentNumber(trace: AirTrace, flow: number, seq: number): number {
  return Math.floor(seq / trace.flows[flow]!.segment) + 1;
}

/** "segment 412 of up-3", "the ACK of up-1 up to segment 18". */
export function packetName(trace: AirTrace, packet: TracedPacket): string {
  if (packet.flow === null) return "a beacon";
  const flow = trace.flows[packet.flow]!;
  switch (packet.kind) {
    case "data":
      return `segment ${segmentNumber(trace, packet.flow, packet.seq)} of ${flow.id}`;
    case "ack": {
      const last = Math.ceil(packet.seq / flow.segment);
      return last === 0 ? `an ACK of ${flow.id}` : `the ACK of ${flow.id} up to segment ${last}`;
    }
    case "syn":
      return `the SYN of ${flow.id}`;
    case "syn-ack":
      return `the SYN-ACK of ${flow.id}`;
    case "request":
      return `the request of ${flow.id}`;
    case "datagram":
      return `a datagram of ${flow.id}`;
    case "report":
      return `a report of ${flow.id}`;
    case "beacon":
      return "a beacon";
  }
}

/** A packet, or "a fragment of" one. */
export function pduName(trace: AirTrace, { packet, is_first, is_last }: TracedPdu): string {
  const name = packetName(trace, packet);
  return is_first && is_last ? name : `a fragment of ${name}`;
}

/** A letter for the kind of a packet, and the number of its flow: "D3", "A1". */
export function packetCode(trace: AirTrace, packet: TracedPacket): string {
  const letters = {
    data: "D",
    ack: "A",
    syn: "S",
    "syn-ack": "S",
    request: "Q",
    datagram: "U",
    report: "R",
    beacon: "B",
  };
  const flow = packet.flow === null ? "" : trace.flows[packet.flow]!.id;
  return letters[packet.kind] + flow.slice(flow.lastIndexOf("-") + 1);
}

/** The classes of a packet: the direction of its flow, and whether it is an ACK. */
export function packetClass(trace: AirTrace, packet: TracedPacket): string {
  if (packet.flow === null) return "is-control";
  const direction = trace.flows[packet.flow]!.direction ?? "wired";
  return packet.kind === "ack" ? `is-${direction} is-ack` : `is-${direction}`;
}

/** "1 packet", "2 packets". */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** "segment 4 of down-1 and 3 ACKs of up-2". */
export function contents(trace: AirTrace, { carries, pdus }: TracedFrame): string {
  const groups = new Map<string, TracedPdu[]>();
  for (const pdu of carries) {
    const { packet, is_first, is_last } = pdu;
    const key = is_first && is_last ? `${packet.kind} ${packet.flow}` : pduName(trace, pdu);
    groups.set(key, [...(groups.get(key) ?? []), pdu]);
  }
  const names = [...groups.values()].map((group) => {
    const [{ packet }] = group as [TracedPdu];
    if (group.length === 1) return pduName(trace, group[0]!);
    return `${group.length} ${PLURAL[packet.kind]} of ${trace.flows[packet.flow!]!.id}`;
  });
  if (pdus > carries.length) names.push(`${pdus - carries.length} more`);
  return names.length > 0 ? list(names) : "an empty burst";
}

const PLURAL: Record<TracedPacket["kind"], string> = {
  data: "segments",
  ack: "ACKs",
  syn: "SYNs",
  "syn-ack": "SYN-ACKs",
  datagram: "datagrams",
  request: "requests",
  report: "reports",
  beacon: "beacons",
};

/** "a", "a and b", "a, b and c". */
export function list(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** More than so many nodes or packets are counted instead of named. */
export const MOST_NAMED = 5;

/** A sentence begins with it. */
export function capital(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}
