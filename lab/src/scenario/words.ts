// What differs between two scenarios, in the words of the controls.
import type { ResolvedScenario } from "../engine/result.ts";
import { controlsOf, type Control, type Grammar } from "./controls.ts";
import { differences } from "./difference.ts";

export interface Change {
  key: string;
  /** The name that the controls have for the key; the key, if it has no control. */
  name: string;
  from: string;
  to: string;
}

export function changes(grammar: Grammar, from: ResolvedScenario, to: ResolvedScenario): Change[] {
  const names = new Map([...namesOf(grammar, from), ...namesOf(grammar, to)]);
  return differences(from, to).map(({ key, from, to }) => ({
    key,
    name: names.get(key) ?? names.get(key.replace(/\.kind$/, "")) ?? key,
    from,
    to,
  }));
}

function namesOf(grammar: Grammar, scenario: ResolvedScenario): [string, string][] {
  return controlsOf(grammar, scenario).flatMap((group) => {
    const flat = (prefix: string, control: Control): [string, string][] => {
      const name = `${prefix}${control.label}`;
      return [
        [control.key, name],
        ...control.parameters.flatMap((parameter) => flat(`${name}: `, parameter)),
      ];
    };
    const prefix = group.id === "main" ? "" : `${group.title}: `;
    return group.controls.flatMap((control) => flat(prefix, control));
  });
}
