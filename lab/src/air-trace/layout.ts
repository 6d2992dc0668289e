// Where things of an access are drawn: what precedes its frames on the left, the frames on the right, each with a
// scale of time.
import type { Category, TracedAccess, TracedFrame } from "../engine/result.ts";

/** At most so many slots are drawn before the frames; those before are cut off. */
const MOST_SLOTS = 40;
/** Share of the width that the time before the frames has, if there is any. */
const BEFORE = 0.42;
/** With EDCA, where frames have more to show. */
const BEFORE_EDCA = 0.3;
/** Share of that which DIFS has. */
const BEFORE_SLOTS = 0.25;

export interface AirLayout {
  /** The first slot that is drawn. */
  first: number;
  /** The place of the beginning of the frames, and the width. */
  frames: number;
  width: number;
  /** The place of a slot boundary. */
  slotAt(slot: number): number;
  /** The place of a time. */
  timeAt(ns: number): number;
}

export function airLayout(access: TracedAccess, width: number): AirLayout {
  const { idle_since_ns, at_ns, end_ns, slots } = access;
  const share = access.frames.some((frame) => frame.qos) ? BEFORE_EDCA : BEFORE;
  const frames = idle_since_ns < at_ns ? width * share : 0;
  // Slots before the frames have a scale of their own, those among frames that of the frames.
  const areBefore = slots.end_ns <= at_ns;
  const first = areBefore ? Math.max(0, slots.count - MOST_SLOTS) : 0;
  const slot_ns = (slots.end_ns - slots.start_ns) / Math.max(1, slots.count);
  const first_ns = slots.start_ns + first * slot_ns;
  const scale: [number, number][] = [[idle_since_ns, 0]];
  if (first_ns < at_ns && areBefore) scale.push([first_ns, frames * BEFORE_SLOTS]);
  scale.push([at_ns, frames], [end_ns, width]);
  const timeAt = (ns: number) => interpolate(scale, ns);
  return {
    first,
    frames,
    width,
    slotAt: (slot) => timeAt(slots.start_ns + Math.max(first, slot) * slot_ns),
    timeAt,
  };
}

/** The value at `x` of the function that is linear between these points. */
function interpolate(points: [number, number][], x: number): number {
  const next = points.findIndex(([at], index) => index > 0 && x < at);
  const end = next < 0 ? points.length - 1 : next;
  const [[x0, y0], [x1, y1]] = [points[end - 1]!, points[end]!];
  return x1 > x0 ? y0 + ((x - x0) / (x1 - x0)) * (y1 - y0) : y1;
}

/** A node, with EDCA one of its categories. */
export interface Lane {
  node: number;
  /** Absent also of a node that only answers, and of beacons. */
  category?: Category;
}

const ORDER: (Category | undefined)[] = ["vo", "vi", "be", "bk", undefined];

/** Who has something to do with an access: the access point, who contends, sends or receives. */
export function lanesOf({ contenders, attempts, frames }: TracedAccess): Lane[] {
  const lanes: Lane[] = [];
  const has = (lane: Lane) =>
    lanes.some((other) => other.node === lane.node && other.category === lane.category);
  const add = ({ node, category }: Lane) => {
    const lane = category ? { node, category } : { node };
    if (!has(lane)) lanes.push(lane);
  };
  for (const contender of contenders) if (contender.has_frame) add(contender);
  attempts.forEach(add);
  const nodes = [0, ...frames.flatMap(({ from, to }) => (to === null ? [from] : [from, to]))];
  for (const node of nodes) {
    if (!lanes.some((lane) => lane.node === node)) {
      add(contenders.find((contender) => contender.node === node) ?? { node });
    }
  }
  // Backoffs without a frame only where there is room for them.
  for (const contender of contenders) if (lanes.length < 12) add(contender);
  const order = (lane: Lane) => ORDER.indexOf(lane.category);
  return lanes.sort((a, b) => a.node - b.node || order(a) - order(b));
}

/** The lane of what a node sends: that of its category, or the first one of a node that answers. */
export function laneOf(lanes: Lane[], { from, qos }: TracedFrame): Lane {
  const own = lanes.filter((lane) => lane.node === from);
  return own.find((lane) => lane.category === qos?.category) ?? own[0]!;
}
