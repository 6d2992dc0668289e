// All pictures of a scenario, or of two.
import { Delays } from "./line/delays.tsx";
import { DifferenceTable } from "./difference-table.tsx";
import { Fairness } from "./bars/fairness.tsx";
import { Goodput } from "./bars/goodput.tsx";
import { Losses } from "./bars/losses.tsx";
import { Airtime, FrameUse, Medium } from "./bars/shares.tsx";
import { Users } from "./bars/users.tsx";
import { Controller, Cwnd, GoodputOverTime, Limiter, QueueOverTime, Rtt } from "./line/tracks.tsx";
import type { View } from "./view.ts";

/** Nothing before the first result. Pictures that the scenario has no data for are left out. */
export function Pictures({ a, b }: { a: View; b: View | null }) {
  if (a.runs.length === 0) return null;
  const other = b && b.runs.length > 0 ? b : null;
  const both = { a, b: other };
  return (
    <div class="pictures">
      <Goodput {...both} />
      <div class="picture-stack">
        <Fairness {...both} />
        <Medium {...both} />
        <FrameUse {...both} />
      </div>
      <Users {...both} />
      <Airtime {...both} />
      <Losses {...both} />
      <QueueOverTime {...both} />
      <Cwnd {...both} />
      <Rtt {...both} />
      <GoodputOverTime {...both} />
      <Limiter {...both} />
      <Controller {...both} />
      <Delays {...both} />
      {other && <DifferenceTable a={a} b={other} />}
    </div>
  );
}
