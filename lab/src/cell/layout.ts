// Where the parts of the drawing are, in pixels: hosts, wire, queue, access point, stations.
import type { Ways } from "./dots.ts";

export interface Layout {
  width: number;
  height: number;
  isNarrow: boolean;
  hosts: number;
  ap: number;
  stations: number;
  /** The middle, at which wire and access point are. */
  y: number;
  /** The lanes of the wire. */
  upLane: number;
  downLane: number;
  queue: { left: number; right: number; top: number; height: number };
  /** The rows of stations. */
  rows: number[];
  ways: Ways[];
  /** How far from the hosts the queue is. */
  queueAt: number;
}

const LANE = 17;
const QUEUE = 26;
/** Of the narrowest telephones. */
const LEAST_WIDTH = 280;
/** Room for the words below the queue. */
const LEAST_HEIGHT = 158;

export function layoutOf(room: number, rows: number): Layout {
  const width = Math.max(room, LEAST_WIDTH);
  const isNarrow = width < 560;
  const row = isNarrow ? 19 : 24;
  const height = Math.max(rows * row + 8, LEAST_HEIGHT);
  const hosts = isNarrow ? 22 : 44;
  const ap = Math.round(isNarrow ? width * 0.36 : width * 0.46);
  const stations = Math.round(isNarrow ? width * 0.56 : Math.max(width - 250, width * 0.68));
  const y = Math.round(height / 2) - 4;
  const [upLane, downLane] = [y - LANE, y + LANE];
  const left = hosts + (isNarrow ? 26 : 70);
  const right = ap - (isNarrow ? 18 : 26);
  const top = (height - rows * row) / 2;
  const places = Array.from({ length: rows }, (_, k) => top + (k + 0.5) * row);
  return {
    width,
    height,
    isNarrow,
    hosts,
    ap,
    stations,
    y,
    upLane,
    downLane,
    queue: { left, right, top: downLane - QUEUE / 2, height: QUEUE },
    rows: places,
    ways: places.map((at) => ({
      up: [
        [stations - 8, at - 3],
        [ap, upLane],
        [hosts, upLane],
      ],
      down: [
        [hosts, downLane],
        [ap, downLane],
        [stations - 8, at + 3],
      ],
    })),
    queueAt: left - hosts,
  };
}
