// What happens at an access, in words.
import type {
  AirTrace,
  TracedAccess,
  TracedAttempt,
  TracedFrame,
  TracedSender,
} from "../engine/result.ts";
import { collidedInside, contenderName, describeExchanges, isOfEdca } from "./exchange-words.ts";
import {
  capital,
  contents,
  count,
  list,
  MOST_NAMED,
  nodeName,
  packetName,
  WORDS,
} from "./names.ts";

/** One or more sentences about an access. */
export function describeAccess(trace: AirTrace, access: TracedAccess): string {
  const sentences = [
    isOfEdca(access) ? describeExchanges(trace, access) : describeAttempts(trace, access),
    describeBursts(trace, access),
    describeRequests(trace, access),
    access.frames.length === 0 ? "Nothing is sent in this frame." : "",
    describeFrozen(trace, access),
    describeDrops(trace, access),
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** What holds a sender back. */
export function describeLimit(sender: TracedSender): string {
  switch (sender.limited_by) {
    case "receive_window":
      return "The receiver's window holds it back, while cwnd has room.";
    case "cwnd":
      // Otherwise the handshake is under way, or all is sent.
      return sender.in_flight >= Math.floor(sender.cwnd)
        ? "cwnd holds it back."
        : "It waits for acknowledgements.";
    case "recovery":
      return "It repairs a loss.";
    case "timeout":
      return "It waits for its retransmission timer.";
    case "application":
      return "It has nothing to send.";
    case "small_queue":
      return "What it has in the queues of its host holds it back (TCP small queues).";
    case "pacing":
      return "Its pacing holds it back.";
    case "bandwidth_probing":
      return "Its congestion control probes the path, and sends more or less than it estimates.";
  }
}

function describeAttempts(trace: AirTrace, access: TracedAccess): string {
  const [first, ...others] = access.attempts;
  if (!first) return "";
  if (others.length > 0) {
    const who = list(access.attempts.map((attempt) => nodeName(trace, attempt.node)));
    const what = list(access.attempts.map((attempt) => sent(trace, access, attempt)));
    const given = access.given_up.map(({ node }) => nodeName(trace, node));
    const end = given.length > 0 ? ` ${capital(list(given))} ${give(given)} its packet up.` : "";
    return `${capital(who)} begin in the same slot and collide: ${what}.${end}`;
  }
  const sends = `${capital(nodeName(trace, first.node))} sends ${sent(trace, access, first)}`;
  return `${sends}${outcome(access, first)}.`;
}

function give(nodes: string[]): string {
  return nodes.length > 1 ? "each give" : "gives";
}

/** The packet, how often it has been sent before, and what sends it again. */
function sent(trace: AirTrace, access: TracedAccess, attempt: TracedAttempt): string {
  const own = access.frames.filter((frame) => frame.from === attempt.node);
  const frame = own.find((frame) => frame.kind !== "cts");
  const rts = frame?.kind === "rts" && !own.some((frame) => frame.kind === "data");
  const data = own.find((frame) => frame.kind === "data") ?? frame;
  if (!attempt.packet) return "a request for a Block Ack";
  const name = packetName(trace, attempt.packet);
  const what = rts ? `an RTS for ${name}` : name;
  const times = data && data.retries > 0 ? ` for the ${ordinal(data.retries + 1)} time` : "";
  const again = attempt.packet.retransmission ? ", a retransmission of TCP" : "";
  return what + times + again;
}

function outcome(access: TracedAccess, attempt: TracedAttempt): string {
  const failed = access.frames.find((frame) => frame.fate !== "received");
  const repeated = attempt.repeats ? ", which has arrived before: only its ACK was lost" : "";
  const end = access.given_up.length > 0 ? "; the MAC gives the packet up" : "";
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

/** What bursts carry. */
function describeBursts(trace: AirTrace, access: TracedAccess): string {
  const bursts = access.frames.filter((frame) => frame.kind === "burst");
  if (bursts.length <= MOST_NAMED) {
    return bursts.map((burst) => `${describeBurst(trace, burst)}.`).join(" ");
  }
  const pdus = bursts.reduce((sum, burst) => sum + burst.pdus, 0);
  const lost = bursts.filter((burst) => burst.fate === "corrupted").length;
  const corrupted = lost > 0 ? `, of which ${lost} are corrupted in part or as a whole` : "";
  return `${bursts.length} bursts have ${count(pdus, "PDU")}${corrupted}.`;
}

function describeBurst(trace: AirTrace, burst: TracedFrame): string {
  const to = burst.from === 0 && burst.to !== null ? ` to ${nodeName(trace, burst.to)}` : "";
  const sends = `${capital(nodeName(trace, burst.from))} sends ${contents(trace, burst)}${to}`;
  const lost = burst.carries.filter((pdu) => pdu.fate === "corrupted");
  const all = lost.length === burst.pdus;
  const which = all ? (lost.length === 1 ? "it" : "all") : `${lost.length} of ${burst.pdus} PDUs`;
  const are = which === "it" || lost.length === 1 ? "is" : "are";
  const corrupted = lost.length > 0 ? `; ${which} ${are} corrupted` : "";
  const asks = burst.asks_for === null ? "" : `; the burst requests ${burst.asks_for} bytes`;
  return sends + corrupted + asks;
}

/** Bandwidth requests, and those that are given up. */
function describeRequests(trace: AirTrace, access: TracedAccess): string {
  const requests = access.frames.filter((frame) => frame.kind === "request");
  const collided = requests.filter((frame) => frame.fate === "collided");
  const sentences: string[] = [];
  if (requests.length > MOST_NAMED) {
    const fate = collided.length > 0 ? `, of which ${collided.length} collide` : "";
    sentences.push(`${requests.length} stations send bandwidth requests${fate}.`);
  } else {
    for (const start of new Set(collided.map((frame) => frame.start_ns))) {
      const together = collided.filter((frame) => frame.start_ns === start);
      const who = list(together.map((frame) => nodeName(trace, frame.from)));
      sentences.push(`${who} send bandwidth requests in the same slot, which collide.`);
    }
    for (const { from, asks_for, retries } of requests.filter((all) => all.fate === "received")) {
      const times = retries > 0 ? ` for the ${ordinal(retries + 1)} time` : "";
      sentences.push(`${nodeName(trace, from)} requests ${asks_for} bytes${times}.`);
    }
  }
  // In 802.11 the attempt says so.
  const given = access.attempts.length > 0 ? [] : access.given_up;
  for (const { node, packets } of given) {
    const with_it = `and with it ${count(packets, "packet")}`;
    sentences.push(`${nodeName(trace, node)} gives its bandwidth request up, ${with_it}.`);
  }
  return sentences.join(" ");
}

function describeFrozen(trace: AirTrace, access: TracedAccess): string {
  const collided = new Set(collidedInside(access));
  const frozen = access.contenders.filter(
    (node) => node.has_frame && !node.transmits && !collided.has(node),
  );
  if (frozen.length === 0) return "";
  const slots = frozen.map((node) => node.after);
  const { wait, left } = WORDS[trace.medium];
  if (frozen.length > MOST_NAMED) {
    const [least, most] = [Math.min(...slots), Math.max(...slots)];
    const unit = frozen.some((node) => node.category) ? "contenders" : "nodes";
    return `${frozen.length} ${unit} ${wait[1]} ${least} to ${most} slots ${left}.`;
  }
  const who = list(frozen.map((node) => contenderName(trace, node)));
  const unit = slots.length === 1 && slots[0] === 1 ? "slot" : "slots";
  const verb = frozen.length === 1 ? wait[0] : wait[1];
  return `${capital(who)} ${verb} ${list(slots.map(String))} ${unit} ${left}.`;
}

function describeDrops(trace: AirTrace, access: TracedAccess): string {
  const { drops, dropped } = access;
  if (dropped === 0) return "";
  const since = `Since the access before, ${nodeName(trace, 0)}'s queue has dropped`;
  if (dropped > MOST_NAMED) return `${since} ${dropped} packets.`;
  const names = drops.map(
    ({ packet, reason }) => `${packetName(trace, packet)} (${REASON[reason]})`,
  );
  return `${since} ${list(names)}.`;
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
