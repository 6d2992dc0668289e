// What JSON Schema says about a key, as far as controls need it.
import { type Dimension, dimensionOf } from "./quantity.ts";

/** A schema. */
export interface Node {
  $ref?: string;
  $defs?: Record<string, Node>;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Node[];
  properties?: Record<string, Node>;
  items?: Node;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  description?: string;
  default?: unknown;
}

/** What a key accepts. */
export type Shape =
  | { type: "choice"; options: string[] }
  | { type: "flag" }
  | {
      type: "number";
      isWhole: boolean;
      minimum: number;
      maximum: number;
      /** Whether the maximum itself is refused. */
      isBelow: boolean;
      dimension: Dimension | null;
      /** Text that is accepted instead of a number: `off`, `unlimited`. */
      words: string[];
    }
  | { type: "component"; kinds: Kind[] }
  /** What a control cannot show: lists, distributions, names. */
  | { type: "other" };

/** A component of a registry: its name, and the schemas of its parameters. */
export interface Kind {
  name: string;
  summary: string;
  parameters: Record<string, Node>;
}

const DIMENSIONS: Record<string, Dimension> = {
  "#/$defs/Seconds": "time",
  "#/$defs/BitRate": "rate",
  "#/$defs/Bytes": "size",
  "#/$defs/Hertz": "frequency",
};

/** Follows a reference; the description and default beside it count. */
export function resolved(root: Node, node: Node): Node {
  if (!node.$ref) return node;
  const target = root.$defs?.[node.$ref.replace("#/$defs/", "")];
  return target ? { ...resolved(root, target), ...node, $ref: undefined } : {};
}

/** The schema of a property; of a union, that of the member whose `kind` is given. */
export function property(root: Node, node: Node, name: string, kind?: unknown): Node | null {
  const table = resolved(root, node);
  const members = (table.anyOf ?? [table]).map((member) => resolved(root, member));
  for (const member of members) {
    const own = member.properties?.["kind"];
    if (own && kind !== undefined && !resolved(root, own).enum?.includes(kind)) continue;
    const found = member.properties?.[name];
    if (found) return found;
  }
  return null;
}

/** What a schema accepts. `unit` has the unit of a parameter whose schema does not name one. */
export function shapeOf(root: Node, node: Node, unit?: string): Shape {
  const members = membersOf(root, node);
  const kinds = members.flatMap((member) => kindsOf(root, member));
  if (kinds.length > 0) return { type: "component", kinds };

  const reference = members.map((member) => member.reference).find((name) => name in DIMENSIONS);
  const flat = members.flatMap((member) =>
    (member.anyOf ?? [member]).map((inner) => resolved(root, inner)),
  );
  const words = flat.flatMap((member) => [
    ...(typeof member.const === "string" ? [member.const] : []),
    ...(member.enum ?? []).filter((word) => typeof word === "string"),
  ]);
  const types = flat.flatMap((member) => member.type ?? []);
  if (types.includes("array")) return { type: "other" };
  const number = flat.find(({ type }) =>
    [type].flat().some((t) => t === "number" || t === "integer"),
  );
  if (number) {
    const isWhole = [number.type].flat().includes("integer");
    return {
      type: "number",
      isWhole,
      minimum: number.minimum ?? number.exclusiveMinimum ?? 0,
      maximum: number.maximum ?? number.exclusiveMaximum ?? Infinity,
      isBelow: number.exclusiveMaximum !== undefined,
      dimension: reference ? DIMENSIONS[reference]! : unit ? dimensionOf(unit) : null,
      words,
    };
  }
  if (types.includes("object")) return { type: "other" };
  // A word beside true and false is a matter of the control's options, or of the text.
  if (types.includes("boolean")) return { type: "flag" };
  return words.length > 0 ? { type: "choice", options: words } : { type: "other" };
}

interface Member extends Node {
  reference: string;
}

/** The members of a union but `null`, resolved. */
function membersOf(root: Node, node: Node): Member[] {
  if (node.anyOf) return node.anyOf.flatMap((member) => membersOf(root, member));
  if (node.$ref && !(node.$ref in DIMENSIONS)) {
    const { $ref: _, ...target } = resolved(root, node);
    return membersOf(root, target);
  }
  if (node.type === "null") return [];
  return [{ ...resolved(root, node), reference: node.$ref ?? "" }];
}

function kindsOf(root: Node, member: Node): Kind[] {
  const names = member.properties?.["kind"]?.enum;
  if (!names || !member.properties) return [];
  const { kind: _, ...parameters } = member.properties;
  return [
    {
      // Other names of the same component are left out.
      name: String(names[0]),
      summary: resolved(root, member).description ?? "",
      parameters,
    },
  ];
}
