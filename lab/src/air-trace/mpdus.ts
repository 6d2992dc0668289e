// The exchanges of an access with EDCA: its PPDUs, their MPDUs, and what their Block Acks say of these.
import type {
  Category,
  FrameFate,
  TracedAccess,
  TracedFrame,
  TracedPdu,
} from "../engine/result.ts";

/** What one node transmits, with what goes before it and what answers it. */
export interface Exchange {
  /** RTS and CTS, or a CTS-to-self. */
  protection: TracedFrame[];
  /** The frame that all is about; null if its RTS is lost. */
  main: TracedFrame | null;
  /** ACK or Block Ack. */
  response: TracedFrame | null;
}

export interface Mpdu {
  sequence: number;
  retry: boolean;
  repeats: boolean;
  fate: FrameFate;
  /** More than one of an A-MSDU. */
  packets: TracedPdu[];
  start_ns: number;
  end_ns: number;
  /** What the Block Ack says of it, "1" or "0"; null without one. */
  bit: string | null;
}

/** MPDUs that follow each other, and have all else in common. */
export interface MpduGroup {
  mpdus: Mpdu[];
  first: Mpdu;
  last: Mpdu;
}

export const CATEGORIES: Record<Category, string> = {
  be: "best effort",
  bk: "background",
  vi: "video",
  vo: "voice",
};

/** Sequence numbers have 12 bits (IEEE 802.11-2020 9.2.4.4.2). */
const SEQUENCES = 4096;

/** In order of time, those of a collision in order of node. */
export function exchangesOf(access: TracedAccess): Exchange[] {
  const exchanges: Exchange[] = [];
  const open = new Map<number | null, Exchange>();
  for (const frame of access.frames) {
    const { kind, from, to } = frame;
    const isAnswer = ["cts", "ack", "block-ack"].includes(kind) && to !== from;
    const node = isAnswer ? to : from;
    let exchange = open.get(node);
    if (!exchange || (exchange.main && !isAnswer)) {
      exchange = { protection: [], main: null, response: null };
      exchanges.push(exchange);
      open.set(node, exchange);
    }
    if (kind === "rts" || kind === "cts") exchange.protection.push(frame);
    else if (isAnswer) exchange.response = frame;
    else exchange.main = frame;
  }
  return exchanges;
}

/** The MPDUs of data that are listed. */
export function mpdusOf({ main, response }: Exchange): Mpdu[] {
  if (main?.kind !== "data" || !main.qos) return [];
  const mpdus: Mpdu[] = [];
  let start_ns = dataStart(main);
  for (const pdu of main.carries) {
    const { sequence, retry, repeats } = pdu.qos!;
    const last = mpdus[mpdus.length - 1];
    if (last?.sequence === sequence) {
      last.packets.push(pdu);
      continue;
    }
    const { fate, end_ns } = pdu;
    const bit = bitOf(response, sequence);
    mpdus.push({ sequence, retry, repeats, fate, packets: [pdu], start_ns, end_ns, bit });
    start_ns = end_ns;
  }
  return mpdus;
}

/** The end of the preamble, to a symbol: the first MPDU begins there. */
function dataStart({ start_ns, carries, rate_bps }: TracedFrame): number {
  const [first] = carries;
  return first ? Math.max(start_ns, first.end_ns - (first.bytes * 8e9) / rate_bps) : start_ns;
}

function bitOf(response: TracedFrame | null, sequence: number): string | null {
  const said = response?.qos?.block_ack;
  return said?.bitmap[distance(said.start, sequence)] ?? null;
}

/** How far `to` is behind `from`, both sequence numbers. */
export function distance(from: number, to: number): number {
  return (to - from + SEQUENCES) % SEQUENCES;
}

/** The bitmap up to the last MPDU that is acknowledged or in the A-MPDU: no other bits say anything. */
export function bitmapOf(exchange: Exchange): string {
  const { start, bitmap } = exchange.response!.qos!.block_ack!;
  const places = mpdusOf(exchange).map((mpdu) => distance(start, mpdu.sequence));
  const inside = places.filter((place) => place < bitmap.length);
  return bitmap.slice(0, Math.max(bitmap.lastIndexOf("1"), ...inside) + 1);
}

/** MPDUs that the receiver has, and cannot pass on before one with a lower number has arrived. */
export function heldBack(exchange: Exchange): { missing: number; held: number[] } | null {
  const said = exchange.response?.qos?.block_ack;
  if (!said) return null;
  const { start, bitmap } = said;
  const missing = bitmap.indexOf("0");
  const held = Array.from(bitmap, (_, place) => place).filter(
    (place) => place > missing && bitmap[place] === "1",
  );
  if (missing < 0 || held.length === 0) return null;
  const sequence = (place: number) => (start + place) % SEQUENCES;
  return { missing: sequence(missing), held: held.map(sequence) };
}

/** Neighbours with one fate, Retry bit and bit together. */
export function grouped(mpdus: Mpdu[]): MpduGroup[] {
  const groups: MpduGroup[] = [];
  for (const mpdu of mpdus) {
    const last = groups[groups.length - 1];
    if (last && isLike(last.last, mpdu)) {
      last.mpdus.push(mpdu);
      last.last = mpdu;
    } else {
      groups.push({ mpdus: [mpdu], first: mpdu, last: mpdu });
    }
  }
  return groups;
}

function isLike(one: Mpdu, next: Mpdu): boolean {
  return (
    one.fate === next.fate &&
    one.retry === next.retry &&
    one.bit === next.bit &&
    distance(one.sequence, next.sequence) === 1
  );
}

/** Each on its own. */
export function single(mpdus: Mpdu[]): MpduGroup[] {
  return mpdus.map((mpdu) => ({ mpdus: [mpdu], first: mpdu, last: mpdu }));
}

/** "17", "15–19". */
export function sequencesOf({ first, last }: MpduGroup): string {
  return first === last ? `${first.sequence}` : `${first.sequence}–${last.sequence}`;
}
