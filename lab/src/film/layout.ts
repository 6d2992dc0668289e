// Where things of an access are drawn: contention on the left with a scale of slots, frames on the right with a
// scale of time.
import type { Film, FilmAccess } from "../engine/result.ts";

/** At most so many slots are drawn; those before are cut off. */
const MOST_SLOTS = 40;
/** Share of the width that contention has. */
const CONTENTION = 0.42;

export interface AirLayout {
  /** The slot boundary at which the frames begin, and the first that is drawn. */
  boundary: number;
  first: number;
  /** The places of DIFS, or of the cut, of the slots, and of the frames. */
  difs: [number, number];
  slots: [number, number];
  frames: [number, number];
  /** The place of a slot boundary. */
  slotAt(slot: number): number;
  /** The place of a time from the beginning of the frames on. */
  timeAt(ns: number): number;
}

export function airLayout(film: Film, access: FilmAccess, width: number): AirLayout {
  const idle = access.at_ns - access.idle_since_ns - film.difs_ns;
  const boundary = Math.round(idle / film.slot_ns);
  const first = Math.max(0, boundary - MOST_SLOTS);
  const contention = width * CONTENTION;
  const difsEnd = boundary === 0 ? contention : contention * 0.25;
  const [begin, end] = [access.at_ns, access.end_ns];
  const slot = (contention - difsEnd) / Math.max(1, boundary - first);
  return {
    boundary,
    first,
    difs: [0, difsEnd],
    slots: [difsEnd, contention],
    frames: [contention, width],
    slotAt: (number) => difsEnd + (Math.max(first, number) - first) * slot,
    timeAt: (ns) => contention + ((ns - begin) / (end - begin)) * (width - contention),
  };
}

/** The nodes that have something to do with an access: the access point, who contends, sends or receives. */
export function lanesOf(access: FilmAccess): number[] {
  const nodes = new Set([0]);
  for (const contender of access.contenders) if (contender.has_frame) nodes.add(contender.node);
  for (const frame of access.frames) {
    nodes.add(frame.from);
    if (frame.to !== null) nodes.add(frame.to);
  }
  // Backoffs without a frame only where there is room for them.
  for (const contender of access.contenders) if (nodes.size < 12) nodes.add(contender.node);
  return [...nodes].sort((a, b) => a - b);
}
