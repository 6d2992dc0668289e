// The controls of a scenario, from JSON Schema, the components and the resolved document.
import type { Part } from "../engine/language.ts";
import type { ResolvedScenario } from "../engine/result.ts";
import { valueAt } from "./document.ts";
import * as keys from "./keys.ts";
import { formatQuantity, type Dimension } from "./quantity.ts";
import { property, shapeOf, type Node, type Shape } from "./schema.ts";
import { stops, type Range } from "./stops.ts";

export interface Group {
  id: string;
  title: string;
  isOpen: boolean;
  /** The index of the group of stations that it is about. */
  station?: number;
  controls: Control[];
}

export interface Control {
  /** The dotted key that it sets. */
  key: string;
  label: string;
  help: string;
  widget: Widget;
  /** Those of the parameters of a component. */
  parameters: Control[];
}

export type Widget =
  { type: "menu"; options: Option[]; value: string } | { type: "flag"; value: boolean } | Slider;

/** A choice and its name; the value "" removes the key. */
export interface Option {
  value: string;
  label: string;
}

export interface Slider {
  type: "slider";
  stops: number[];
  /** Null if the value is a word, or in another unit than the stops. */
  value: number | null;
  /** The value as the text field has it. */
  text: string;
  words: string[];
  dimension: Dimension | null;
}

export interface Grammar {
  schema: Node;
  parts: Part[];
}

type Hints = Record<string, keys.Hint>;

/** All controls of a scenario. */
export function controlsOf(grammar: Grammar, scenario: ResolvedScenario): Group[] {
  const make = new Maker(grammar, scenario);
  const stations = scenario["station"] as {
    name?: string;
    flows: { direction?: string }[];
  }[];
  const names = stationNames(stations);

  const counts = stations.map((_, index) =>
    make.control(`station.${index}.count`, {
      label: names[index]!,
      range: { from: 1, to: 40, step: 1 },
    })!,
  );
  const groups: Group[] = [
    {
      id: "main",
      title: "Stations and queue",
      isOpen: true,
      controls: [
        ...counts,
        ...make.component("cell.queue", {
          label: make.isWimax ? "BS queue" : "AP queue",
        }),
      ],
    },
    { id: "medium", title: "Medium", isOpen: true, controls: make.all("cell", keys.CELL) },
  ];
  stations.forEach(({ flows }, index) => {
    const base = `station.${index}`;
    const controls = flows.flatMap((_, flow) =>
      make
        .flow(`${base}.flows.${flow}`)
        .map((control) =>
          flows.length > 1 ? { ...control, label: `flow ${flow + 1}: ${control.label}` } : control,
        ),
    );
    groups.push({
      id: base,
      title: names[index]!,
      isOpen: false,
      station: index,
      controls: [...controls, ...make.all(base, keys.STATION)],
    });
  });
  const links = valueAt(scenario, "wired.link") as { between: [string, string] }[] | undefined;
  if (links?.length) {
    links.forEach(({ between }, index) =>
      groups.push({
        id: `wired.link.${index}`,
        title: `Wired link ${between[0]} – ${between[1]}`,
        isOpen: false,
        controls: make.all(`wired.link.${index}`, keys.LINK),
      }),
    );
  } else {
    const { rate, delay, queue } = keys.LINK;
    groups.push({
      id: "wired",
      title: "Wired network",
      isOpen: true,
      controls: make.all("wired", { rate: rate!, delay: delay!, queue: queue! }),
    });
  }
  groups.push(
    {
      id: "gateway",
      title: "Gateway",
      isOpen: false,
      controls: make.all("gateway", keys.GATEWAY),
    },
    { id: "run", title: "Run", isOpen: false, controls: make.all("", keys.RUN) },
  );
  return groups;
}

/** `Stations, up`; with a number where several groups would have the same name. */
function stationNames(stations: { name?: string; flows: { direction?: string }[] }[]): string[] {
  const plain = stations.map(({ name, flows }) => {
    const directions = [
      ...new Set(flows.map(({ direction }) => (direction === "both" ? "up and down" : direction))),
    ].join(" and ");
    return name ?? `Stations, ${directions}`;
  });
  return plain.map((name, index) =>
    plain.filter((other) => other === name).length > 1
      ? name.replace("Stations", `Stations ${index + 1}`)
      : name,
  );
}

class Maker {
  constructor(
    private readonly grammar: Grammar,
    private readonly scenario: ResolvedScenario,
  ) {}

  get isWimax(): boolean {
    return valueAt(this.scenario, "cell.kind") === "wimax";
  }

  /** The controls of the keys of a table that fit the scenario. */
  all(table: string, hints: Hints, parent = ""): Control[] {
    const own = table ? valueAt(this.scenario, table) : this.scenario;
    return Object.entries(hints).flatMap(([name, hint]) => {
      if (hint.when && !hint.when(this.scenario, parent, own)) return [];
      const key = table ? `${table}.${name}` : name;
      if (name === "queue") return this.component(key, { label: "queue", ...hint });
      const control = this.control(key, hint, parent);
      return control ? [control] : [];
    });
  }

  flow(key: string): Control[] {
    return this.all(key, keys.FLOW, kindOf(valueAt(this.scenario, `${key}.transport`)));
  }

  /** A queue discipline and its limit, which all disciplines have. */
  component(key: string, hint: keys.Hint): Control[] {
    const control = this.control(key, hint);
    if (!control) return [];
    const limit = control.parameters.find((parameter) => parameter.key === `${key}.limit`);
    return [
      { ...control, parameters: control.parameters.filter((parameter) => parameter !== limit) },
      ...(limit ? [{ ...limit, label: `${control.label} limit, packets` }] : []),
    ];
  }

  /** The control of a key; null for what no control can show. */
  control(key: string, hint: keys.Hint, parent = ""): Control | null {
    const node = this.node(key);
    if (!node) return null;
    const value = valueAt(this.scenario, key);
    const shape: Shape =
      key === "cell.kind"
        ? { type: "choice", options: ["wlan", "wimax"] }
        : shapeOf(this.grammar.schema, node);
    return this.build(key, node, shape, value, hint, parent);
  }

  private build(
    key: string,
    node: Node,
    shape: Shape,
    value: unknown,
    hint: keys.Hint,
    parent = "",
  ): Control | null {
    const range = typeof hint.range === "function" ? hint.range(this.table(key)) : hint.range;
    const widget = this.widget(
      shape,
      value ?? node.default,
      value === undefined,
      { ...hint, range },
      parent,
    );
    if (!widget) return null;
    return {
      key,
      label: hint.label ?? key.split(".").at(-1)!.replaceAll("_", " "),
      help: sentence(node.description ?? ""),
      widget,
      parameters: shape.type === "component" ? this.parameters(key, shape, value) : [],
    };
  }

  private widget(
    shape: Shape,
    value: unknown,
    isAbsent: boolean,
    hint: keys.Hint & { range?: Range | undefined },
    parent: string,
  ): Widget | null {
    if (shape.type === "flag" && !hint.options) return { type: "flag", value: value === true };
    const dimension = shape.type === "number" ? shape.dimension : null;
    const text =
      isAbsent && hint.absent
        ? ""
        : textOf(shape.type === "flag" ? (value ?? false) : value, dimension);
    if (shape.type === "component" || shape.type === "choice" || hint.options) {
      const own =
        hint.options?.(this.scenario, parent) ??
        (shape.type === "component"
          ? shape.kinds.map(({ name }) => name)
          : shape.type === "choice"
            ? shape.options
            : []);
      const options = own.map((option) => ({
        value: option,
        label: hint.names?.[option] ?? option,
      }));
      if (hint.absent && !own.includes(hint.absent)) {
        options.unshift({ value: "", label: hint.absent });
      }
      const current = text === "" && own.includes(hint.absent ?? "") ? hint.absent! : text;
      if (current !== "" && !options.some((option) => option.value === current)) {
        options.push({ value: current, label: current });
      }
      return { type: "menu", options, value: current };
    }
    if (shape.type !== "number") return null;
    const number = numberOf(value);
    const range = hint.range ?? defaultRange(shape, number);
    if (!range) return null;
    return {
      type: "slider",
      stops: stops(range, shape.isWhole, number),
      value: number,
      text,
      words: [...shape.words, ...(hint.words ?? [])],
      dimension,
    };
  }

  private parameters(key: string, shape: Shape & { type: "component" }, value: unknown): Control[] {
    const kind = shape.kinds.find(({ name }) => name === kindOf(value));
    if (!kind) return [];
    const described = this.grammar.parts.filter(({ name }) => name === kind.name);
    return Object.entries(kind.parameters).flatMap(([name, node]) => {
      const part = described
        .flatMap(({ parameters }) => parameters)
        .find((parameter) => parameter["name"] === name);
      const unit = typeof part?.["default"] === "string" ? part["default"] : undefined;
      const inner = shapeOf(this.grammar.schema, node, unit);
      const present = valueAt(value, name) ?? node.default;
      const hint = { ...(key.endsWith("queue") ? keys.QUEUE[name] : {}), ...keys.PARAMETERS[name] };
      // Where there is a default, leaving the key out means that, and not what the hint calls it.
      if (typeof node.default === "string") delete hint.absent;
      const control = this.build(`${key}.${name}`, node, inner, present, hint);
      return control ? [control] : [];
    });
  }

  private table(key: string): unknown {
    return valueAt(this.scenario, key.slice(0, key.lastIndexOf(".")));
  }

  private node(key: string): Node | null {
    let node: Node | null = this.grammar.schema;
    let value: unknown = this.scenario;
    for (const name of key.split(".")) {
      if (!node) return null;
      if (/^\d+$/.test(name)) {
        node = node.items ?? null;
      } else {
        const kind: unknown = valueAt(value, "kind");
        node = property(this.grammar.schema, node, name, kind);
      }
      value = valueAt(value, name);
    }
    return node;
  }
}

/** From a tenth to ten times the value, or all fractions of 1, within what is accepted. */
function defaultRange(
  { minimum, maximum, isBelow, isWhole }: Shape & { type: "number" },
  value: number | null,
): Range | null {
  if (value === null) return null;
  if (maximum <= 1 && value >= 0.05)
    return { from: Math.max(minimum, 0.05), to: isBelow ? 0.95 : maximum, step: 0.05 };
  const from = Math.max(value / 10, minimum, isWhole ? 1 : 0);
  const to = Math.min(Math.max(value * 10, from * 10), maximum);
  return from > 0 && from < to ? { from, to, zero: minimum === 0 && isWhole } : null;
}

/** Of limits that depend on something, which are a table, the one in the middle. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return value;
  const limits = isTable(value)
    ? Object.values(value).filter((one) => typeof one === "number")
    : [];
  return limits.sort((a, b) => a - b)[limits.length >> 1] ?? null;
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !("kind" in value);
}

function textOf(value: unknown, dimension: Dimension | null): string {
  if (typeof value === "number") {
    return dimension ? formatQuantity(value, dimension) : String(value);
  }
  if (isTable(value)) {
    const entries = Object.entries(value);
    const texts = entries.map(([key, one]) => `${key} = ${JSON.stringify(textOf(one, dimension))}`);
    return `{ ${texts.join(", ")} }`;
  }
  return value === undefined || value === null ? "" : kindOf(value);
}

/** The name of a component, which is a table or the name alone. */
function kindOf(component: unknown): string {
  return String(valueAt(component, "kind") ?? component);
}

function sentence(text: string): string {
  const line = text.replaceAll("\n", " ");
  return line && line[0]!.toUpperCase() + line.slice(1);
}
