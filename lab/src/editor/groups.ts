// Groups of equal stations: another one, or one less.
import { language, replace } from "../state/store.ts";
import type { Change } from "../engine/language.ts";
import type { ResolvedScenario } from "../engine/result.ts";

/** Whether the text has the groups as `[[station]]` blocks, which can be copied. */
export function canCopy(text: string, index: number): boolean {
  return blockOf(text, index) !== null;
}

/** Adds one station that is otherwise as those of a group. */
export function copyGroup(scenario: ResolvedScenario, index: number): Promise<void> {
  return replace((text) => {
    const [start, end] = blockOf(text, index)!;
    const copy = text.slice(start, end).trimEnd();
    const longer = `${text.slice(0, end).trimEnd()}\n\n${copy}\n\n${text.slice(end)}`;
    const added = `station.${index + 1}`;
    // No two stations, and no two flows, have the same name.
    const { flows } = (scenario["station"] as { flows: unknown[] }[])[index]!;
    const names = [`${added}.name`, ...flows.map((_, flow) => `${added}.flows.${flow}.name`)];
    return language.set(`${longer.trimEnd()}\n`, [
      [`${added}.count`, "1"],
      ...names.map((key): Change => [key, null]),
    ]);
  });
}

export function removeGroup(index: number): Promise<void> {
  return replace((text) => language.set(text, [[`station.${index}`, null]]));
}

/** Where the block of a group begins and ends; tables of the group belong to it. */
function blockOf(text: string, index: number): [start: number, end: number] | null {
  const starts = [...text.matchAll(/^[ \t]*\[\[[ \t]*station[ \t]*\]\]/gm)].map(
    (match) => match.index,
  );
  const start = starts[index];
  if (start === undefined) return null;
  const rest = text.slice(start + 1);
  const next = /^[ \t]*\[(?!\[?[ \t]*station[ \t]*\.)/m.exec(rest.slice(rest.indexOf("\n") + 1));
  const offset = start + 1 + rest.indexOf("\n") + 1;
  return [start, next ? beforeComments(text, offset + next.index) : text.length];
}

/** Comments right above a header belong to it. */
function beforeComments(text: string, header: number): number {
  let start = header;
  while (start > 0) {
    const line = text.lastIndexOf("\n", start - 2) + 1;
    if (!text.slice(line, start).trimStart().startsWith("#")) break;
    start = line;
  }
  return start;
}
