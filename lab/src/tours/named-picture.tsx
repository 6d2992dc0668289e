// Pictures by their names, as tours and figures of the documentation ask for them.
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
  Users,
  type View,
} from "../pictures/index.ts";

type Props = { a: View; b: View | null };

const PICTURES: Record<string, ComponentType<Props>> = {
  airtime: Airtime,
  "call-delay-p95-ms": (props) => <Users {...props} only="call_delay_p95_ms" />,
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

/** Nothing before the first result. */
export function NamedPictures({ names, a, b }: Props & { names: string[] }) {
  if (a.runs.length === 0) return null;
  return (
    <>
      {names.map((name) => {
        const Picture = PICTURES[name];
        return Picture && <Picture key={name} a={a} b={b} />;
      })}
    </>
  );
}
