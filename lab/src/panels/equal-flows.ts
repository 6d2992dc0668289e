// Diagnoses that differ in their numbers alone are said once, with the range of each number.
import type { Diagnosis } from "../engine/result.ts";

/** Diagnoses that say the same, in order. */
export interface Said {
  diagnoses: Diagnosis[];
  /** Of all of them: "76–79% of its time limited by its congestion window". */
  measure: string;
  text: string;
  /** "in 2 of 2 runs"; absent of one run. */
  often?: string;
}

/** A number that is no part of a name, such as "sta-3" and "802.11". */
const NUMBER = /(?<![\w.-])\d+(?:\.\d+)?/g;

export function equalFlows(diagnoses: Diagnosis[]): Said[] {
  const groups = new Map<string, Diagnosis[]>();
  for (const each of diagnoses) {
    const parts = [each.fault, each.cause, each.place ?? "", each.measure, each.text];
    const key = parts.map((part) => part.replace(NUMBER, "#")).join("\n");
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].map((group) => {
    const { runs } = group[0]!;
    const often = merged(group.map(({ faulty_runs }) => `in ${faulty_runs} of ${runs} runs`));
    return {
      diagnoses: group,
      measure: merged(group.map(({ measure }) => measure)),
      text: merged(group.map(({ text }) => text)),
      ...(runs > 1 && { often }),
    };
  });
}

/** Texts that differ in numbers alone, as one: "3" and "5" as "3–5". */
function merged(texts: string[]): string {
  const numbers = texts.map((text) => text.match(NUMBER) ?? []);
  let k = 0;
  return texts[0]!.replace(NUMBER, () => {
    const all = numbers.map((each) => each[k]!).toSorted((a, b) => Number(a) - Number(b));
    k++;
    const [least, most] = [all[0]!, all.at(-1)!];
    return least === most ? least : `${least}–${most}`;
  });
}

/** "down-1", "down-1 and down-2", "down-1, down-2 and down-3", "down-1 to down-5 (5 flows)". */
export function listed(names: string[]): string {
  if (names.length <= 3) {
    return [names.slice(0, -1).join(", "), names.at(-1)!].filter(Boolean).join(" and ");
  }
  return `${names[0]} to ${names.at(-1)} (${names.length} flows)`;
}
