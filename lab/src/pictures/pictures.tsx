// All pictures of a scenario, or of two.
import { DifferenceTable } from "./difference-table.tsx";
import { PICTURES, type PictureOf } from "./named.tsx";
import { Users } from "./bars/users.tsx";

/** Low pictures, which are below each other beside the first one. */
const STACK = ["fairness", "medium", "frame"];
const AFTER_USERS = [
  "airtime",
  "losses",
  "queue",
  "cwnd",
  "rtt",
  "goodput-over-time",
  "limiter",
  "controller",
  "delays",
];

/**
 * Nothing before the first result. Pictures that the scenario has no data for are left out, and those that are shown
 * elsewhere on the page: `without`.
 */
export function Pictures({ a, b, without = [] }: PictureOf & { without?: string[] }) {
  if (a.runs.length === 0) return null;
  const other = b && b.runs.length > 0 ? b : null;
  const both = { a, b: other };
  const named = (names: string[]) =>
    names.map((name) => {
      const Picture = PICTURES[name]!;
      return without.includes(name) ? null : <Picture key={name} {...both} />;
    });
  return (
    <div class="pictures">
      {named(["goodput"])}
      <div class="picture-stack">{named(STACK)}</div>
      <Users {...both} without={without} />
      {named(AFTER_USERS)}
      {other && <DifferenceTable a={a} b={other} />}
    </div>
  );
}
