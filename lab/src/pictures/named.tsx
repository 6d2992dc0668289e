// All pictures by their names, as tours and figures of the documentation ask for them.
import type { ComponentType } from "preact";
import { Delays } from "./line/delays.tsx";
import { Fairness } from "./bars/fairness.tsx";
import { Goodput } from "./bars/goodput.tsx";
import { Losses } from "./bars/losses.tsx";
import { Airtime, FrameUse, Medium } from "./bars/shares.tsx";
import { Users } from "./bars/users.tsx";
import { Controller, Cwnd, GoodputOverTime, Limiter, QueueOverTime, Rtt } from "./line/tracks.tsx";
import type { View } from "./view.ts";

export interface PictureOf {
  a: View;
  b: View | null;
}

export const PICTURES: Record<string, ComponentType<PictureOf>> = {
  airtime: Airtime,
  "call-delay-p95-ms": (props) => <Users {...props} only="call_delay_p95_ms" />,
  controller: Controller,
  cwnd: Cwnd,
  delays: Delays,
  fairness: Fairness,
  frame: FrameUse,
  goodput: Goodput,
  "goodput-over-time": GoodputOverTime,
  limiter: Limiter,
  losses: Losses,
  medium: Medium,
  mos: (props) => <Users {...props} only="mos" />,
  queue: QueueOverTime,
  rtt: Rtt,
};
