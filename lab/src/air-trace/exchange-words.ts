// What happens at an access with EDCA, in words.
import type { AirTrace, Contender, TracedAccess, TracedFrame } from "../engine/result.ts";
import {
  bitmapOf,
  CATEGORIES,
  distance,
  type Exchange,
  exchangesOf,
  heldBack,
  type Mpdu,
  mpdusOf,
} from "./mpdus.ts";
import { duration } from "./time.ts";
import { capital, contents, count, list, MOST_NAMED, nodeName } from "./names.ts";

/** Whether the access has frames with EDCA; one of a beacon alone has none. */
export function isOfEdca(access: TracedAccess): boolean {
  return access.frames.some((frame) => frame.qos);
}

/** Who transmits what, and what comes of it. */
export function describeExchanges(trace: AirTrace, access: TracedAccess): string {
  const { attempts, at_ns, end_ns, given_up } = access;
  const [first] = attempts;
  const exchanges = exchangesOf(access);
  const sentences: string[] = [];
  if (attempts.length > 1) {
    const who = attempts.map(({ node, category }) => contenderName(trace, { node, category }));
    const what = exchanges.map((exchange) => transmission(trace, exchange));
    sentences.push(`${capital(list(who))} begin in the same slot and collide: ${list(what)}.`);
  } else {
    const main = exchanges.filter((exchange) => exchange.main?.kind !== "cf-end");
    const who = capital(nodeName(trace, first?.node ?? access.frames[0]!.from));
    if (main.length > 1) {
      const of = first?.category ? ` of ${CATEGORIES[first.category]}` : "";
      sentences.push(`${who} has a TXOP${of} of ${duration(end_ns - at_ns)}.`);
    }
    if (main.length > MOST_NAMED) {
      sentences.push(summary(main));
    } else {
      for (const exchange of main) sentences.push(describeExchange(trace, access, exchange));
    }
    if (main.length < exchanges.length) sentences.push("A CF-End ends the TXOP.");
  }
  sentences.push(...describeInternal(trace, access));
  for (const { node, packets } of given_up) {
    sentences.push(`${capital(nodeName(trace, node))} gives ${count(packets, "packet")} up.`);
  }
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** "sta-3", with EDCA "sta-3 (video)". */
export function contenderName(
  trace: AirTrace,
  { node, category }: Pick<Contender, "node" | "category">,
): string {
  return nodeName(trace, node) + (category ? ` (${CATEGORIES[category]})` : "");
}

/** Categories that have reached 0 with a higher one of their node. */
export function collidedInside(access: TracedAccess): Contender[] {
  const { contenders, slots } = access;
  const transmits = (node: number) =>
    contenders.some((other) => other.node === node && other.transmits);
  return contenders.filter(
    ({ node, category, from, before, has_frame, ...contender }) =>
      category &&
      has_frame &&
      !contender.transmits &&
      from + before === slots.count &&
      transmits(node),
  );
}

function describeInternal(trace: AirTrace, access: TracedAccess): string[] {
  return collidedInside(access).map(({ node, category, after }) => {
    const name = nodeName(trace, node);
    const begin = `In ${name} ${CATEGORIES[category!]} has reached 0 as well, an internal collision`;
    return `${begin}: it draws ${count(after, "slot")}.`;
  });
}

/** "an A-MPDU of 5 MPDUs in best effort to sta-2 at MCS 9 (114.7 Mb/s)". */
function transmission(trace: AirTrace, { main, protection }: Exchange): string {
  const [before] = protection;
  const frame = main ?? before!;
  if (!frame.qos) return "a beacon";
  const { category, mcs } = frame.qos;
  const to = frame.to === null || frame.to === 0 ? "" : ` to ${nodeName(trace, frame.to)}`;
  if (!main)
    return `${frame.kind === "rts" ? "an RTS" : "a CTS-to-self"} in ${CATEGORIES[category]}${to}`;
  const what = main.kind === "data" ? psdu(main) : "a BlockAckReq";
  const rate = `${Number((main.rate_bps / 1e6).toFixed(1))} Mb/s`;
  const mode = mcs === undefined ? rate : `MCS ${mcs} (${rate})`;
  const after = before
    ? before.kind === "rts"
      ? " after RTS and CTS"
      : " after a CTS-to-self"
    : "";
  return `${what} in ${CATEGORIES[category]}${to} at ${mode}${after}`;
}

function psdu(frame: TracedFrame): string {
  if (frame.qos!.psdu === "mpdu") return "an MPDU";
  if (frame.qos!.psdu === "s-mpdu") return "an S-MPDU";
  return `an A-MPDU of ${mpduCount(frame)}`;
}

/** "5 MPDUs": of an A-MPDU of which not all packets are listed at least those that are. */
export function mpduCount(frame: TracedFrame): string {
  const listed = mpdusOf({ protection: [], main: frame, response: null }).length;
  const rest = frame.pdus - frame.carries.length;
  if (rest === 0) return count(listed, "MPDU");
  return listed === frame.carries.length ? `${frame.pdus} MPDUs` : `more than ${listed} MPDUs`;
}

function describeExchange(trace: AirTrace, access: TracedAccess, exchange: Exchange): string {
  const { main } = exchange;
  const node = main?.from ?? access.attempts[0]?.node ?? access.frames[0]!.from;
  const sends = `${capital(nodeName(trace, node))} transmits ${transmission(trace, exchange)}`;
  if (!main) return `${sends}${failedProtection(exchange)}.`;
  if (main.kind === "beacon") return `${sends}.`;
  if (main.kind === "block-ack-req") return `${sends}${describeRequest(exchange)}`;
  const mpdus = mpdusOf(exchange);
  const sentences = [
    `${sends}: ${contents(trace, main)}${repeated(mpdus)}${outcome(exchange, mpdus)}.`,
    describeHeld(exchange),
    describeNext(trace, access, main, mpdus),
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

function failedProtection({ protection }: Exchange): string {
  const failed = protection.find((frame) => frame.fate !== "received");
  if (failed?.kind === "rts") return "; the RTS is lost, and no CTS comes";
  return failed ? "; the CTS is lost" : "";
}

function describeRequest({ main, response }: Exchange): string {
  const asks = `, which asks for a Block Ack from ${main!.qos!.block_ack?.start}`;
  if (!response) return `${asks}; it is lost, and no Block Ack comes.`;
  if (response.fate !== "received") return `${asks}; the Block Ack is lost.`;
  return `${asks}; ${blockAck({ protection: [], main, response })}.`;
}

function repeated(mpdus: Mpdu[]): string {
  const again = mpdus.filter((mpdu) => mpdu.retry && !mpdu.repeats);
  const known = mpdus.filter((mpdu) => mpdu.repeats);
  const retries = again.length > 0 ? `; ${named(again, "is repeated", "are repeated")}` : "";
  if (known.length === 0) return retries;
  return `${retries}; ${named(known, "has", "have")} arrived before, only the acknowledgement was lost`;
}

/** "MPDU 17 is lost", "MPDUs 15 to 17 and 20 are lost", "12 MPDUs are lost". */
function named(mpdus: Mpdu[], one: string, several: string): string {
  const verb = mpdus.length === 1 ? one : several;
  return `${mpduNames(mpdus.map((mpdu) => mpdu.sequence))} ${verb}`;
}

function mpduNames(sequences: number[]): string {
  const runs: [number, number][] = [];
  for (const sequence of sequences) {
    const last = runs[runs.length - 1];
    if (last && distance(last[1], sequence) === 1) last[1] = sequence;
    else runs.push([sequence, sequence]);
  }
  if (runs.length > MOST_NAMED) return `${sequences.length} MPDUs`;
  const names = runs.flatMap(([from, to]) => {
    if (from === to) return [`${from}`];
    return distance(from, to) === 1 ? [`${from}`, `${to}`] : [`${from} to ${to}`];
  });
  return `MPDU${sequences.length > 1 ? "s" : ""} ${list(names)}`;
}

function outcome(exchange: Exchange, mpdus: Mpdu[]): string {
  const { main, response } = exchange;
  const isAggregate = main!.qos!.psdu === "a-mpdu";
  const answer = isAggregate ? "Block Ack" : "ACK";
  const lost = mpdus.filter((mpdu) => mpdu.fate !== "received");
  if (lost.length === mpdus.length) {
    return `; ${isAggregate ? "all MPDUs are lost" : "it is lost"}, and no ${answer} comes`;
  }
  const losses = lost.length > 0 ? `; ${named(lost, "is lost", "are lost")}` : "";
  if (!response) return losses;
  if (response.fate !== "received") return `${losses}; the ${answer} is lost`;
  return response.kind === "block-ack" ? `${losses}; ${blockAck(exchange)}` : losses;
}

/** Longer bitmaps are counted. */
const LONGEST_BITMAP = 32;

function blockAck(exchange: Exchange): string {
  const { start } = exchange.response!.qos!.block_ack!;
  const bitmap = bitmapOf(exchange);
  const begin = `the Block Ack starts at ${start}`;
  if (bitmap === "") return `${begin} with no bit set`;
  if (bitmap.length <= LONGEST_BITMAP) return `${begin} with the bitmap ${bitmap}`;
  const zeros = [...bitmap].filter((bit) => bit === "0").length;
  const those = zeros === 0 ? "all 1" : `${zeros} of them 0`;
  return `${begin} with a bitmap of ${bitmap.length} bits, ${those}`;
}

/** What follows a gap waits at the receiver until the gap is filled (IEEE 802.11-2020 10.25.6.6). */
function describeHeld(exchange: Exchange): string {
  const found = exchange.response?.fate === "received" ? heldBack(exchange) : null;
  if (!found) return "";
  const { missing, held } = found;
  const verb = held.length === 1 ? "waits" : "wait";
  return `${capital(mpduNames(held))} ${verb} at the receiver for MPDU ${missing}.`;
}

/** Where the lost MPDUs go, if the air trace has it. */
function describeNext(trace: AirTrace, access: TracedAccess, sent: TracedFrame, mpdus: Mpdu[]) {
  const lost = mpdus.filter((mpdu) => mpdu.fate !== "received").map((mpdu) => mpdu.sequence);
  if (lost.length === 0 || lost.length === mpdus.length) return "";
  const place = trace.accesses.indexOf(access);
  const later = trace.accesses.slice(Math.max(0, place)).flatMap((access) => access.frames);
  const next = later.find(
    (frame) =>
      frame.kind === "data" &&
      frame.start_ns > sent.start_ns &&
      frame.from === sent.from &&
      frame.to === sent.to &&
      frame.qos?.category === sent.qos!.category,
  );
  if (!next) return "";
  const first = mpdusOf({ protection: [], main: next, response: null }).slice(0, lost.length);
  if (!first.every((mpdu, index) => mpdu.sequence === lost[index])) return "";
  const verb = lost.length === 1 ? "goes" : "go";
  const what = next.qos!.psdu === "a-mpdu" ? "A-MPDU" : "PPDU";
  return `${mpduNames(lost)} ${verb} first in the next ${what}.`;
}

function summary(exchanges: Exchange[]): string {
  const mpdus = exchanges.flatMap(mpdusOf);
  const lost = mpdus.filter((mpdu) => mpdu.fate !== "received").length;
  const losses = lost > 0 ? `, of which ${lost} ${lost === 1 ? "is" : "are"} lost` : "";
  return `${exchanges.length} PPDUs have ${count(mpdus.length, "MPDU")}${losses}.`;
}
