// The flows of a result: their names, and which way they go.
import type { FlowResult, RunResult } from "../../engine/result.ts";

export type Way = "up" | "down" | "wired";

export const WAYS: readonly Way[] = ["up", "down", "wired"];
export const WAY_NAMES: Record<Way, string> = {
  up: "uploads",
  down: "downloads",
  wired: "wired flows",
};

export function way(flow: FlowResult): Way {
  return flow.direction ?? "wired";
}

/** The flows of stations, then those between wired hosts. */
export function allFlows(result: RunResult): FlowResult[] {
  return [...result.flows, ...(result.wired.flows ?? [])];
}

/** The flows that Jain's index compares. */
export function comparedFlows(result: RunResult): FlowResult[] {
  const isCompared = (flow: FlowResult) =>
    result.jain_over === "all" || flow.application === "bulk";
  return result.flows.filter(isCompared);
}

/** A name for each flow by its id: its own, its station's, or the id. */
export function flowNames(result: RunResult): Map<string, string> {
  const stations = new Map(result.stations.map((station) => [station.id, station.name]));
  const flowsOf = new Map<string, number>();
  for (const { station } of result.flows) {
    if (station) flowsOf.set(station, (flowsOf.get(station) ?? 0) + 1);
  }
  const name = (flow: FlowResult) => {
    const station = flow.station && stations.get(flow.station);
    if (flow.name) return flow.name;
    if (!station) return flow.id;
    return flowsOf.get(flow.station!) === 1 ? station : `${station} ${flow.id}`;
  };
  return new Map(allFlows(result).map((flow) => [flow.id, name(flow)]));
}
