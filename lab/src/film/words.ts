// What happens at an access, in words.
import type { Film, FilmAccess, FilmAttempt, FilmPacket, FilmSender } from "../engine/result.ts";

/** One or more sentences about an access. */
export function describeAccess(film: Film, access: FilmAccess): string {
  const sentences = [describeAttempts(film, access), describeFrozen(film, access)];
  sentences.push(describeDrops(film, access));
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** A node as a label has it: "AP", "sta-3". */
export function nodeLabel(film: Film, node: number): string {
  return node === 0 ? "AP" : film.nodes[node]!.id;
}

function nodeName(film: Film, node: number): string {
  return node === 0 ? "the AP" : film.nodes[node]!.id;
}

/** The number of the segment at `seq`, from 1. */
export function segmentNumber(film: Film, flow: number, seq: number): number {
  return Math.floor(seq / film.flows[flow]!.segment) + 1;
}

/** "segment 412 of up-3", "the ACK of up-1 up to segment 18". */
export function packetName(film: Film, packet: FilmPacket): string {
  if (packet.flow === null) return "a beacon";
  const flow = film.flows[packet.flow]!;
  switch (packet.kind) {
    case "data":
      return `segment ${segmentNumber(film, packet.flow, packet.seq)} of ${flow.id}`;
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

/** A letter for the kind of a packet, and the number of its flow: "D3", "A1". */
export function packetCode(film: Film, packet: FilmPacket): string {
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
  const flow = packet.flow === null ? "" : film.flows[packet.flow]!.id;
  return letters[packet.kind] + flow.slice(flow.lastIndexOf("-") + 1);
}

/** The classes of a packet: the direction of its flow, and whether it is an ACK. */
export function packetClass(film: Film, packet: FilmPacket): string {
  if (packet.flow === null) return "is-control";
  const direction = film.flows[packet.flow]!.direction ?? "wired";
  return packet.kind === "ack" ? `is-${direction} is-ack` : `is-${direction}`;
}

/** "1 packet", "2 packets". */
export function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}

/** What holds a sender back. */
export function describeLimit(sender: FilmSender): string {
  switch (sender.limited_by) {
    case "receive_window":
      return "The receiver's window holds it back, while cwnd has room.";
    case "cwnd":
      return "cwnd holds it back.";
    case "recovery":
      return "It repairs a loss.";
    case "timeout":
      return "It waits for its retransmission timer.";
    case "application":
      return "It has nothing to send.";
  }
}

/** "a", "a and b", "a, b and c". */
export function list(words: string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

/** More than so many nodes or packets are counted instead of named. */
const MOST_NAMED = 5;

function describeAttempts(film: Film, access: FilmAccess): string {
  const [first, ...others] = access.attempts;
  if (!first) return "";
  if (others.length > 0) {
    const who = list(access.attempts.map((attempt) => nodeName(film, attempt.node)));
    const what = list(access.attempts.map((attempt) => sent(film, access, attempt)));
    const lost = access.attempts.filter((attempt) => attempt.given_up);
    const given = lost.map((attempt) => nodeName(film, attempt.node));
    const end = given.length > 0 ? ` ${capital(list(given))} ${give(given)} its packet up.` : "";
    return `${capital(who)} begin in the same slot and collide: ${what}.${end}`;
  }
  const sends = `${capital(nodeName(film, first.node))} sends ${sent(film, access, first)}`;
  return `${sends}${outcome(access, first)}.`;
}

function give(nodes: string[]): string {
  return nodes.length > 1 ? "each give" : "gives";
}

/** The packet, how often it has been sent before, and what sends it again. */
function sent(film: Film, access: FilmAccess, attempt: FilmAttempt): string {
  const own = access.frames.filter((frame) => frame.from === attempt.node);
  const frame = own.find((frame) => frame.kind !== "cts");
  const rts = frame?.kind === "rts" && !own.some((frame) => frame.kind === "data");
  const data = own.find((frame) => frame.kind === "data") ?? frame;
  const name = packetName(film, attempt.packet);
  const what = rts ? `an RTS for ${name}` : name;
  const times = data && data.retries > 0 ? ` for the ${ordinal(data.retries + 1)} time` : "";
  const again = attempt.packet.retransmission ? ", a retransmission of TCP" : "";
  return what + times + again;
}

function outcome(access: FilmAccess, attempt: FilmAttempt): string {
  const failed = access.frames.find((frame) => frame.fate !== "received");
  const repeated = attempt.repeats ? ", which has arrived before: only its ACK was lost" : "";
  const end = attempt.given_up ? "; the MAC gives the packet up" : "";
  switch (failed?.kind) {
    case undefined:
      return repeated;
    case "rts":
      return `; the RTS is corrupted, and no CTS comes${end}`;
    case "cts":
      return `; the CTS is corrupted${end}`;
    case "ack":
      return `${repeated}; the frame arrives, but its ACK is corrupted${end}`;
    default:
      return `; the frame is corrupted, and no ACK comes${end}`;
  }
}

function describeFrozen(film: Film, access: FilmAccess): string {
  const frozen = access.contenders.filter((node) => node.has_frame && !node.transmits);
  if (frozen.length === 0) return "";
  const slots = frozen.map((node) => node.after);
  if (frozen.length > MOST_NAMED) {
    const [least, most] = [Math.min(...slots), Math.max(...slots)];
    return `${frozen.length} nodes freeze with ${least} to ${most} slots left.`;
  }
  const who = list(frozen.map((node) => nodeName(film, node.node)));
  const unit = slots.length === 1 && slots[0] === 1 ? "slot" : "slots";
  const verb = frozen.length === 1 ? "freezes" : "freeze";
  return `${capital(who)} ${verb} with ${list(slots.map(String))} ${unit} left.`;
}

function describeDrops(film: Film, access: FilmAccess): string {
  const { drops } = access;
  if (drops.length === 0) return "";
  if (drops.length > MOST_NAMED) {
    return `Since the access before, the AP's queue has dropped ${drops.length} packets.`;
  }
  const names = drops.map(
    ({ packet, reason }) => `${packetName(film, packet)} (${REASON[reason]})`,
  );
  return `Since the access before, the AP's queue has dropped ${list(names)}.`;
}

const REASON = {
  "on-arrival": "at its arrival",
  "on-departure": "when its turn came",
  evicted: "to make room",
  superseded: "a later ACK replaces it",
};

function ordinal(number: number): string {
  const words = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh"];
  return words[number - 1] ?? `${number}th`;
}

function capital(text: string): string {
  return text.startsWith("the ") ? `T${text.slice(1)}` : text;
}
