// The dots that move through the drawing: each stands for the same amount of data. Positions follow from the rates
// alone, so that the same run looks the same.

export type Kind = "up" | "down" | "ack" | "dropped";

/** A way through the drawing, in pixels. */
export type Polyline = readonly (readonly [x: number, y: number])[];

/** The ways of a station's traffic. */
export interface Ways {
  up: Polyline;
  down: Polyline;
}

/** What a station sends and receives: dots for each second. */
export interface Rates {
  up: number;
  down: number;
  /** Dots of ACKs that come back for each dot of an upload. */
  acks: number;
}

/** The shares of what arrives at the access point's queue that it drops. */
export interface Drops {
  data: number;
  acks: number;
}

interface Dot {
  kind: Kind;
  station: number;
  /** How far it has come, pixels. */
  at: number;
  /** It is dropped as it reaches the queue. */
  isLost: boolean;
}

/** Pixels for each second. */
const SPEED = 190;
/** How far a dropped dot falls, and how fast. */
const FALL = 34;
const FALL_SPEED = 60;

export class Dots {
  private dots: Dot[] = [];
  private due: { up: number; down: number; ack: number }[] = [];
  private lost = { data: 0, acks: 0 };

  /** `queueAt`: how far from the beginning of a downlink way its queue is. */
  constructor(
    private ways: readonly Ways[],
    private queueAt: number,
  ) {
    this.due = ways.map((_, k) => {
      // Not all at the same moment: spread over the first interval.
      const phase = (k * GOLDEN) % 1;
      return { up: phase, down: phase, ack: 0 };
    });
  }

  /** Keeps the dots in a drawing of another size. */
  resize(ways: readonly Ways[], queueAt: number): void {
    this.ways = ways;
    this.queueAt = queueAt;
  }

  step(seconds: number, rates: readonly Rates[], drops: Drops): void {
    rates.forEach((rate, station) => {
      const due = this.due[station]!;
      for (const kind of ["up", "down"] as const) {
        due[kind] += rate[kind] * seconds;
        for (; due[kind] >= 1; due[kind] -= 1) this.emit(kind, station, drops);
      }
    });
    const arrived: number[] = [];
    this.dots = this.dots.flatMap((dot) => {
      const at = dot.at + (dot.kind === "dropped" ? FALL_SPEED : SPEED) * seconds;
      if (dot.kind === "dropped") return at < FALL ? [{ ...dot, at }] : [];
      if (dot.isLost && at >= this.queueAt) {
        return [{ ...dot, kind: "dropped" as const, at: at - this.queueAt }];
      }
      if (at < lengthOf(this.way(dot))) return [{ ...dot, at }];
      if (dot.kind === "up") arrived.push(dot.station);
      return [];
    });
    for (const station of arrived) {
      const due = this.due[station]!;
      due.ack += rates[station]?.acks ?? 0;
      for (; due.ack >= 1; due.ack -= 1) this.emit("ack", station, drops);
    }
  }

  private emit(kind: "up" | "down" | "ack", station: number, drops: Drops): void {
    let isLost = false;
    if (kind !== "up") {
      const name = kind === "ack" ? "acks" : "data";
      this.lost[name] += drops[name];
      isLost = this.lost[name] >= 1;
      if (isLost) this.lost[name] -= 1;
    }
    this.dots.push({ kind, station, at: 0, isLost });
  }

  private way({ kind, station }: Dot): Polyline {
    return this.ways[station]![kind === "up" ? "up" : "down"];
  }

  /** Points of a kind as a path of SVG, to be drawn with round ends. */
  path(kind: Kind): string {
    return this.dots
      .filter((dot) => dot.kind === kind)
      .map((dot) => {
        const [x, y] = pointOf(this.way(dot), kind === "dropped" ? this.queueAt : dot.at);
        return `M${x.toFixed(1)} ${(kind === "dropped" ? y + dot.at : y).toFixed(1)}h0`;
      })
      .join("");
  }

  /** How many there are of a kind. */
  count(kind: Kind): number {
    return this.dots.filter((dot) => dot.kind === kind).length;
  }
}

/** Multiples of the golden ratio are spread evenly, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

export function lengthOf(way: Polyline): number {
  let length = 0;
  for (let k = 1; k < way.length; k++) length += between(way[k - 1]!, way[k]!);
  return length;
}

/** The point that is so far from the beginning. */
export function pointOf(way: Polyline, at: number): readonly [number, number] {
  let rest = at;
  for (let k = 1; k < way.length; k++) {
    const [from, to] = [way[k - 1]!, way[k]!];
    const length = between(from, to);
    if (rest <= length && length > 0) {
      const part = rest / length;
      return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
    }
    rest -= length;
  }
  return way.at(-1)!;
}

function between(from: readonly [number, number], to: readonly [number, number]): number {
  return Math.hypot(to[0] - from[0], to[1] - from[1]);
}
