// A linear axis that need not begin at 0.

/** Round numbers at equal steps, about `count` of them, from at most `low` to at least `high`. */
export function between(low: number, high: number, count: number): number[] {
  const span = high > low ? high - low : Math.abs(low) || 1;
  const least = span / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least * 0.999)!;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
}
