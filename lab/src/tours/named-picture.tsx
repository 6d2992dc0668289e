// A picture by its name, as tours and figures of the documentation ask for it.
import type { ComponentType } from "preact";
import {
  Airtime,
  Cwnd,
  Delays,
  Fairness,
  FrameUse,
  Goodput,
  GoodputOverTime,
  Limiter,
  Losses,
  Medium,
  QueueOverTime,
  Rtt,
  type View,
} from "../pictures/index.ts";

const PICTURES: Record<string, ComponentType<{ a: View; b: View | null }>> = {
  airtime: Airtime,
  cwnd: Cwnd,
  delays: Delays,
  fairness: Fairness,
  frame: FrameUse,
  goodput: Goodput,
  "goodput-over-time": GoodputOverTime,
  limiter: Limiter,
  losses: Losses,
  medium: Medium,
  queue: QueueOverTime,
  rtt: Rtt,
};

/** Nothing before the first result. */
export function NamedPicture({ name, a, b }: { name: string; a: View; b: View | null }) {
  const Picture = PICTURES[name];
  return Picture && a.runs.length > 0 ? <Picture a={a} b={b} /> : null;
}
