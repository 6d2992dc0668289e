// The runs of a live figure: the first seed at once, the others in the background.
import { signal, type ReadonlySignal } from "@preact/signals";
import { describe } from "../state/describe.ts";
import { Runs, type Batch } from "../state/runs.ts";
import type { Engine } from "../engine/engine.ts";
import type { Change, Language } from "../engine/language.ts";
import type { View } from "../pictures/view.ts";

export class Live {
  private readonly shown = signal<Batch | null>(null);
  private readonly failure = signal<string | null>(null);
  private readonly runs: Runs;
  private newest = 0;

  constructor(
    engine: Engine,
    private readonly language: Language,
    private readonly base: string,
    private readonly seeds: number,
  ) {
    this.runs = new Runs(
      engine,
      {
        started: (batch) => {
          this.failure.value = null;
          this.shown.value = batch;
        },
        completed: (batch, seed, answer) => {
          const { value } = this.shown;
          if (value?.toml !== batch.toml) return;
          this.shown.value = { ...value, answers: new Map([...value.answers, [seed, answer]]) };
        },
        failed: (error) => (this.failure.value = describe(error)),
        late: () => {},
      },
      () => this.missing(),
    );
  }

  /** Why there is no picture of the last choice. */
  get problem(): ReadonlySignal<string | null> {
    return this.failure;
  }

  /** Shows the base with keys set. Of several calls the last one counts. */
  async show(changes: Change[]): Promise<void> {
    const own = ++this.newest;
    try {
      const toml = await this.language.set(this.base, changes);
      const scenario = await this.language.resolve(toml);
      if (own === this.newest) this.runs.request({ toml, scenario, seed: 1 });
    } catch (error) {
      if (own === this.newest) this.failure.value = describe(error);
    }
  }

  /** What is shown; reads signals. */
  view(): View | null {
    const { value } = this.shown;
    if (!value) return null;
    const answers = this.wanted().map((seed) => value.answers.get(seed));
    return {
      label: "A",
      toml: value.toml,
      runs: answers.filter((answer) => answer !== undefined),
      wanted: this.seeds,
      isStale: this.failure.value !== null,
    };
  }

  private wanted(): number[] {
    return Array.from({ length: this.seeds }, (_, index) => index + 1);
  }

  private missing(): [Batch, number][] {
    const batch = this.shown.value;
    if (!batch) return [];
    return this.wanted()
      .filter((seed) => !batch.answers.has(seed))
      .map((seed) => [batch, seed]);
  }
}
