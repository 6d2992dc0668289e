// What the page shows. The TOML text is the truth; all else follows from it.
import { computed, signal } from "@preact/signals";
import { EngineError, type Engine } from "../engine/engine.ts";
import type { Change, Language } from "../engine/language.ts";
import type { ResolvedScenario, RunAnswer } from "../engine/result.ts";
import type { View } from "../pictures/view.ts";
import { fit } from "../scenario/fit.ts";
import type { Grammar } from "../scenario/controls.ts";
import type { Node } from "../scenario/schema.ts";
import { changes, type Change as Changed } from "../scenario/words.ts";
import { describe } from "./describe.ts";
import { mark } from "./marks.ts";
import { Runs, type Batch } from "./runs.ts";

/** The text of the scenario. */
export const toml = signal("");

/** The resolved document of the last text without an error. */
export const scenario = signal<ResolvedScenario | null>(null);

/** What is wrong with the text. */
export const problem = signal<EngineError | null>(null);

/** What the page says about the last change: a refusal, or what was removed with it. */
export const notice = signal<{ text: string; isError: boolean } | null>(null);

/** Why the last run has failed. */
export const failure = signal<string | null>(null);

/** How many seeds are run, and the first of them. */
export const seeds = signal(10);
export const firstSeed = signal(1);

/** JSON Schema of scenarios and the components; null until they are loaded. */
export const grammar = signal<Grammar | null>(null);

/** Whether the results of the present scenario are not there after a while. */
export const isLate = signal(false);

const shown = signal<Batch | null>(null);
const kept = signal<Batch | null>(null);

/** The present scenario, as the pictures show it. */
export const view = computed<View | null>(() =>
  shown.value
    ? viewOf(
        kept.value ? "B" : "A",
        shown.value,
        problem.value !== null || failure.value !== null || isLate.value,
      )
    : null,
);

/** The pinned scenario. */
export const pinned = computed<View | null>(() =>
  kept.value ? viewOf("A", kept.value, false) : null,
);

/** What differs between what is pinned and what is shown; null without a pinned scenario. */
export const changed = computed<Changed[] | null>(() =>
  kept.value && shown.value && grammar.value
    ? changes(grammar.value, kept.value.scenario, shown.value.scenario)
    : null,
);

export let engine: Engine;
export let language: Language;
let runs: Runs;
let isConnected = false;

/** The last text without an error, and what it says. */
let adopted: { toml: string; scenario: ResolvedScenario } | null = null;

/** What the page begins with; null once it has begun. */
let beginning: (() => Promise<void>) | null = null;

/** Begins the page. What fails is said, and is done again by "Run again". */
export async function begin(make: () => Promise<void>): Promise<void> {
  beginning = make;
  try {
    await make();
    beginning = null;
  } catch (error) {
    failure.value = describe(error);
  }
}

/** Connects the page with what makes results, and loads what the controls are made from. */
export async function connect(to: { engine: Engine; language: Language }): Promise<void> {
  ({ engine, language } = to);
  isConnected = true;
  runs = new Runs(
    engine,
    {
      started: (batch) => {
        failure.value = null;
        shown.value = batch;
        if (batch.toml === toml.value) mark("picture");
      },
      completed: (batch, seed, answer) => {
        for (const target of [shown, kept]) {
          if (target.value?.toml === batch.toml)
            target.value = withAnswer(target.value, seed, answer);
        }
      },
      failed: (error) => (failure.value = describe(error)),
      late: (is) => (isLate.value = is),
    },
    missingRuns,
  );
  const [schema, parts] = await Promise.all([language.schema(), language.parts()]);
  grammar.value = { schema: schema as Node, parts };
}

/** Shows another scenario, or the text as it was edited. What was said about the change before goes. */
export async function open(text: string): Promise<void> {
  notice.value = null;
  await take(text);
}

/** As `open`, but a message stays in sight. Before the page is connected, the text waits. */
export async function take(text: string): Promise<void> {
  if (text === toml.value && (scenario.value || problem.value)) return;
  mark("change");
  toml.value = text;
  if (!isConnected) return;
  try {
    const resolved = await language.resolve(text);
    if (toml.value === text) adopt(text, resolved);
  } catch (error) {
    if (toml.value === text) problem.value = asEngineError(error);
  }
}

/** Replaces the text by what `make` makes of it, if that is a scenario. */
export async function replace(make: (text: string) => Promise<string>): Promise<void> {
  mark("change");
  const before = toml.value;
  try {
    const text = await make(before);
    const resolved = await language.resolve(text);
    if (toml.value !== before) return; // the text was edited meanwhile
    notice.value = null;
    toml.value = text;
    adopt(text, resolved);
  } catch (error) {
    notice.value = { text: describe(error), isError: true };
  }
}

let waiting: Change[][] = [];
let draining: Promise<void> | null = null;

/**
 * Sets keys, and removes those that no longer fit. Resolves when the text has them, or when they
 * were refused. Of changes of the same keys that wait, only the last one is made.
 */
export function change(keys: Change[]): Promise<void> {
  mark("change");
  const names = (each: Change[]) => each.map(([key]) => key).join(" ");
  waiting = [...waiting.filter((other) => names(other) !== names(keys)), keys];
  draining ??= drain().finally(() => (draining = null));
  return draining;
}

async function drain(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const before = toml.value;
    try {
      const fitted = await fit(language, before, scenario.value, next);
      if (toml.value !== before) {
        waiting.unshift(next); // the text was edited meanwhile
        continue;
      }
      notice.value = fitted.note ? { text: fitted.note, isError: false } : null;
      toml.value = fitted.toml;
      adopt(fitted.toml, fitted.scenario);
    } catch (error) {
      notice.value = { text: describe(error), isError: true };
    }
  }
}

function adopt(text: string, resolved: ResolvedScenario): void {
  problem.value = null;
  scenario.value = resolved;
  adopted = { toml: text, scenario: resolved };
  if (shown.value?.toml === text && shown.value.first === firstSeed.value) {
    failure.value = null;
    mark("picture");
    runs.withdraw();
  } else {
    runAdopted();
  }
}

function runAdopted(): void {
  if (adopted && !problem.value) runs.request({ ...adopted, seed: firstSeed.value });
}

/** Keeps what is shown as A; what comes next is B. */
export function pin(): void {
  kept.value = shown.value;
}

export function unpin(): void {
  kept.value = null;
}

/** Sets how many seeds are run, and the first one. */
export function setSeeds(count: number, first: number): void {
  const isOther = first !== firstSeed.value;
  seeds.value = count;
  firstSeed.value = first;
  if (isOther) runAdopted();
  else if (adopted) runs.fill();
}

/** Begins the page or runs the present scenario again, after a failure. */
export function retry(): void {
  failure.value = null;
  if (beginning) void begin(beginning);
  else runAdopted();
}

/** The runs of what is shown and of what is pinned that are not done yet, by seed. */
function missingRuns(): [Batch, number][] {
  const batches = [shown.value, kept.value].filter((batch) => batch !== null);
  const all = wantedSeeds();
  // Pictures over time are of the first seed: one that was not the first has no series.
  const isDone = (batch: Batch, seed: number) => {
    const answer = batch.answers.get(seed);
    return answer !== undefined && (seed !== all[0] || answer.result.series !== undefined);
  };
  return all.flatMap((seed) =>
    batches.filter((batch) => !isDone(batch, seed)).map((batch): [Batch, number] => [batch, seed]),
  );
}

/** The seeds of what is shown. A pinned scenario gets the same ones, so that runs are in pairs. */
function wantedSeeds(): number[] {
  const first = shown.value?.first ?? firstSeed.value;
  return Array.from({ length: seeds.value }, (_, index) => first + index);
}

function viewOf(label: string, batch: Batch, isStale: boolean): View {
  const answers = wantedSeeds().map((seed) => batch.answers.get(seed));
  return {
    label,
    toml: batch.toml,
    runs: answers.filter((answer) => answer !== undefined),
    wanted: seeds.value,
    isStale,
  };
}

/** With one more answer, without those of seeds that are wanted no more. */
function withAnswer(batch: Batch, seed: number, answer: RunAnswer): Batch {
  const all = new Map([...batch.answers, [seed, answer]]);
  const wanted = wantedSeeds().filter((each) => all.has(each));
  return { ...batch, answers: new Map(wanted.map((each) => [each, all.get(each)!])) };
}

function asEngineError(error: unknown): EngineError {
  return error instanceof EngineError ? error : new EngineError(describe(error));
}
