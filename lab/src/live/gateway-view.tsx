// A gateway daemon: the rounds of its limiter as in the picture of a simulated one, and its counters.
import { useMemo } from "preact/hooks";
import type { RunAnswer, RunResult } from "../engine/result.ts";
import type { Server } from "../engine/server.ts";
import { Limiter, type View } from "../pictures/index.ts";
import { useFeed } from "./feed.ts";
import { factsOf, gatewayFold, roundsOf, type Gateway } from "./gateway.ts";

export function GatewayView({ server, path }: { server: Server; path: string }) {
  const { state: gateway, problem } = useFeed(server, path, gatewayFold);
  const view = useMemo(() => viewOf(gateway), [gateway]);
  const last = gateway.readings.at(-1);
  return (
    <>
      <p role="status">{problem ?? statusText(gateway)}</p>
      {view && (
        <div class="pictures">
          <Limiter a={view} b={null} />
        </div>
      )}
      {last && (
        <dl class="live-facts">
          {factsOf(last).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** The picture takes the rounds alone. Null before the first. */
function viewOf(gateway: Gateway): View | null {
  const limiter = roundsOf(gateway);
  if (limiter.length === 0) return null;
  const result = { series: { limiter } } as unknown as RunResult;
  const run: RunAnswer = { result, why: [] };
  return { label: "gateway", toml: "", runs: [run], wanted: 1, isStale: false };
}

function statusText({ state, reason, readings }: Gateway): string {
  if (state === "waiting") return `The daemon's metrics cannot be read: ${reason ?? "not yet"}.`;
  const n = readings.length;
  return `The metrics are read each second: ${n} reading${n === 1 ? "" : "s"} so far.`;
}
