// A linear axis from 0.
import { fixed } from "../../statistics.ts";

/** Round numbers from 0 to at least `most`, about `count` steps apart. */
export function ticks(most: number, count: number): number[] {
  const least = (most > 0 ? most : 1) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least * 0.999)!;
  const n = Math.ceil((most > 0 ? most : 1) / step - 1e-9);
  return Array.from({ length: n + 1 }, (_, k) => k * step);
}

/** All with as many decimals as one of them needs. */
export function tickTexts(all: readonly number[]): string[] {
  const isExact = (decimals: number) =>
    all.every((tick) => Math.abs(Number(tick.toFixed(decimals)) - tick) <= 1e-9 * Math.abs(tick));
  let decimals = 0;
  while (decimals < 9 && !isExact(decimals)) decimals++;
  return all.map((tick) => fixed(tick, decimals));
}
