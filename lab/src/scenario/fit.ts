// Changes that leave a valid scenario: keys that do not fit the new value are removed.
import { EngineError } from "../engine/engine.ts";
import type { Change, Language } from "../engine/language.ts";
import type { ResolvedScenario } from "../engine/result.ts";
import { valueAt } from "./document.ts";
import { UNRATED } from "./keys.ts";

export interface Fitted {
  toml: string;
  scenario: ResolvedScenario;
  /** What was changed beside the keys, for people; null if nothing was. */
  note: string | null;
}

/** Keys of a station that only one medium has. */
const STATION_KEYS = {
  wlan: ["phy", "data_rate", "rate_control", "channel", "stack"],
  wimax: ["modulation"],
};

/** Applications over UDP that send at the flow's rate. */
const RATED = ["cbr", "poisson", "on-off", "video-call"];
/** Applications over UDP; all others are of TCP, and "bulk" of TFRC as well. */
const DATAGRAMS = [...RATED, ...UNRATED];

/** Sets keys of a text. Rejects with the error of the scenario that no removal can mend. */
export async function fit(
  language: Language,
  toml: string,
  scenario: ResolvedScenario | null,
  changes: Change[],
): Promise<Fitted> {
  const removed: string[] = [];
  const added: string[] = [];
  const remove = async (key: string): Promise<boolean> => {
    const without = await language.set(toml, [[key, null]]).catch(() => toml);
    if (without === toml) return false;
    toml = without;
    removed.push(key);
    return true;
  };

  const addRate = async (flow: string): Promise<void> => {
    if (!scenario || valueAt(scenario, `${flow}.rate`) !== undefined) return;
    toml = await language.set(toml, [[`${flow}.rate`, "1 Mbps"]]);
    added.push(`${flow}.rate = "1 Mbps"`);
  };

  /** Calls go both ways where nothing is said; other flows have to say it. */
  const keepDirection = async (flow: string): Promise<void> => {
    if (!scenario || valueAt(scenario, `${flow}.direction`) !== "both") return;
    toml = await language.set(toml, [[`${flow}.direction`, "both"]]);
  };

  for (const change of changes) {
    const [key, value] = change;
    if (scenario && key === "cell.kind") {
      for (const name of Object.keys(scenario["cell"] as object)) {
        if (name !== "kind" && name !== "queue") await remove(`cell.${name}`);
      }
      const stations = scenario["station"] as unknown[];
      for (const name of value === "wimax" ? STATION_KEYS.wlan : STATION_KEYS.wimax) {
        for (const index of stations.keys()) await remove(`station.${index}.${name}`);
      }
    }
    const flow = /^(.+)\.transport(\.kind)?$/.exec(key)?.[1];
    if (scenario && flow && value !== null) {
      await keepDirection(flow);
      const isUdp = value === "udp";
      const application = kindOf(valueAt(scenario, `${flow}.application`));
      if (isUdp !== DATAGRAMS.includes(application)) await remove(`${flow}.application`);
      if (!isUdp) await remove(`${flow}.rate`);
      if (isUdp && !UNRATED.includes(application)) await addRate(flow);
    }
    const owner = /^(.+)\.application(\.kind)?$/.exec(key)?.[1];
    if (owner) await keepDirection(owner);
    if (owner && RATED.includes(String(value))) await addRate(owner);
    toml = await language.set(toml, [change]);
  }

  const own = changes.map(([key]) => key);
  for (;;) {
    try {
      const resolved = await language.resolve(toml);
      return { toml, scenario: resolved, note: note(removed, added) };
    } catch (error) {
      if (!(error instanceof EngineError) || !error.field) throw error;
      const field = error.field;
      const isOwn = own.some((key) => key === field || field.startsWith(`${key}.`));
      // A key whose removal changes nothing cannot be what makes the scenario invalid.
      if (isOwn || !(await remove(field))) throw error;
    }
  }
}

function kindOf(component: unknown): string {
  return typeof component === "object" && component !== null && "kind" in component
    ? String(component.kind)
    : String(component);
}

function note(removed: string[], added: string[]): string | null {
  const parts = [
    ...(removed.length > 0 ? [`removed because they do not fit: ${removed.join(", ")}`] : []),
    ...(added.length > 0 ? [`added: ${added.join(", ")}`] : []),
  ];
  if (parts.length === 0) return null;
  const text = parts.join("; ");
  return text[0]!.toUpperCase() + text.slice(1);
}
