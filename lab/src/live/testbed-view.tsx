// A test-bed that runs: the pictures of its result so far, and its connections.
import { useMemo } from "preact/hooks";
import type { RunAnswer, RunResult } from "../engine/result.ts";
import type { Server } from "../engine/server.ts";
import { Cwnd, Fairness, Goodput, GoodputOverTime, type View } from "../pictures/index.ts";
import { useFeed } from "./feed.ts";
import { resultOf, testbedFold, type Testbed } from "./testbed.ts";

export function TestbedView({ server, path }: { server: Server; path: string }) {
  const { state: testbed, problem } = useFeed(server, path, testbedFold);
  const view = useMemo(() => viewOf(testbed), [testbed]);
  return (
    <>
      <p role="status">{problem ?? statusText(testbed)}</p>
      {view && (
        <div class="pictures">
          <Goodput a={view} b={null} />
          <Fairness a={view} b={null} />
          <GoodputOverTime a={view} b={null} />
          <Cwnd a={view} b={null} />
        </div>
      )}
      {view && <Connections testbed={testbed} />}
    </>
  );
}

/** The pictures that are shown take no more of a result. */
function viewOf(testbed: Testbed): View | null {
  const partial = resultOf(testbed);
  if (!partial) return null;
  const run: RunAnswer = { result: partial as RunResult, why: [] };
  return { label: "test-bed", toml: "", runs: [run], wanted: 1, isStale: false };
}

function statusText({ state, header, samples }: Testbed): string {
  if (!header) return "No test-bed runs. As soon as one does, its flows appear here.";
  const now = samples.at(-1)?.time_s ?? 0;
  const end = header.warmup_s + header.duration_s;
  const name = `${header.scenario.name}, seed ${header.seed}`;
  if (state === "ended") return `${name}: it has ended after ${now.toFixed(0)} s.`;
  const part = now < header.warmup_s ? ", in the warm-up" : "";
  return `${name}: ${now.toFixed(0)} of ${end.toFixed(0)} s${part}.`;
}

function Connections({ testbed: { header, samples } }: { testbed: Testbed }) {
  const last = samples.at(-1)!;
  const known = header!.flows.filter(({ id }) => id in last.flows);
  return (
    <div class="live-table">
      <table>
        <caption>TCP connections, counted by the kernel since their start</caption>
        <thead>
          <tr>
            <th scope="col">Flow</th>
            <th scope="col">Direction</th>
            <th scope="col">Segments sent</th>
            <th scope="col">Retransmissions</th>
            <th scope="col">Timeouts</th>
            <th scope="col">cwnd (segments)</th>
            <th scope="col">RTT, smoothed (ms)</th>
          </tr>
        </thead>
        <tbody>
          {known.map(({ id, name, direction }) => {
            const counters = last.flows[id]!;
            return (
              <tr key={id}>
                <th scope="row">{name ?? id}</th>
                <td>{direction}</td>
                <td>{counters.segments_sent}</td>
                <td>{counters.retransmissions}</td>
                <td>{counters.timeouts ?? "not counted"}</td>
                <td>{counters.cwnd}</td>
                <td>{(1e3 * counters.rtt_s).toFixed(1)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
