// Means of independent runs and their confidence intervals: the numbers of evenair's Python package.

/** A mean and the half-width of its 95% confidence interval, in the unit of the sample. */
export interface Estimate {
  mean: number;
  /** Student's t, n - 1 degrees of freedom; null for a single value, which has no spread. */
  ci95: number | null;
}

/** By how much the mean of a quantity differs between two scenarios. */
export interface Difference {
  value: number;
  /** Half-width of its 95% interval; null unless there are several pairs. */
  ci95: number | null;
  /** The difference over the reference's mean; null where that is 0. */
  relative: number | null;
}

/** Estimates the mean of a distribution from independent samples; null without any. */
export function estimate(sample: readonly number[]): Estimate | null {
  const n = sample.length;
  if (n === 0) return null;
  const mean = sum(sample) / n;
  if (n === 1) return { mean, ci95: null };
  const variance = sum(sample.map((value) => (value - mean) ** 2)) / (n - 1);
  return { mean, ci95: tQuantile975(n - 1) * Math.sqrt(variance / n) };
}

/** As `estimate`, from the values that are known. */
export function estimateKnown(sample: readonly (number | null | undefined)[]): Estimate | null {
  return estimate(sample.filter((value) => value != null));
}

/** The mean of the differences of pairs [reference, other], with Student's interval; null without any. */
export function pairedDifference(pairs: readonly (readonly [number, number])[]): Difference | null {
  const found = estimate(pairs.map(([reference, other]) => other - reference));
  if (found === null) return null;
  const reference = sum(pairs.map(([value]) => value)) / pairs.length;
  return {
    value: found.mean,
    ci95: found.ci95,
    relative: reference === 0 ? null : found.mean / reference,
  };
}

/** Whether the interval of a difference excludes 0; null without an interval. */
export function isClear({ value, ci95 }: Difference): boolean | null {
  return ci95 === null ? null : Math.abs(value) > ci95;
}

/**
 * The mean, and the half-width of its interval (empty if it has none), as text.
 *
 * The half-width has two significant digits and the mean is rounded to the same place: JCGM 100:2008
 * (the GUM), 7.2.6. `decimals` are those of a mean without interval, and one more is the most: a
 * smaller half-width is shown as one of the last place.
 */
export function rounded({ mean, ci95 }: Estimate, decimals: number): [string, string] {
  if (!ci95) return [fixed(mean, decimals), ci95 === null ? "" : "0"];
  // From the exponent after rounding to two digits: 0.0996 is 0.10.
  const exponent = Number(ci95.toExponential(1).split("e")[1]);
  const place = Math.min(1 - exponent, decimals + 1);
  const shown = Math.max(place, 0);
  const unit = 10 ** -place;
  const at = (value: number) => (place < 0 ? Math.round(value / unit) * unit : value);
  return [fixed(at(mean), shown), fixed(Math.max(at(ci95), unit), shown)];
}

/** "0.83 ± 0.02", or the mean alone if there is no interval. */
export function withInterval(value: Estimate, decimals: number): string {
  const [mean, half] = rounded(value, decimals);
  return half === "" ? mean : `${mean} ±\u00a0${half}`;
}

export function scaled({ mean, ci95 }: Estimate, scale: number): Estimate {
  return { mean: mean * scale, ci95: ci95 === null ? null : ci95 * scale };
}

/** The sum without intermediate rounding (J. R. Shewchuk, 1997), as Python's math.fsum. */
export function sum(values: readonly number[]): number {
  const partials: number[] = [];
  for (let x of values) {
    let kept = 0;
    for (let y of partials) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low !== 0) partials[kept++] = low;
      x = high;
    }
    partials.length = kept;
    partials.push(x);
  }
  return rounding(partials);
}

/** The sum of numbers that do not overlap, the smallest first, rounded once: half to even. */
function rounding(partials: number[]): number {
  let high = partials.pop() ?? 0;
  let low = 0;
  while (low === 0 && partials.length > 0) {
    const next = partials.pop()!;
    const before = high;
    high += next;
    low = next - (high - before);
  }
  // What is left decides where `low` is exactly half a unit of the last place.
  const rest = partials.at(-1) ?? 0;
  if (rest !== 0 && Math.sign(low) === Math.sign(rest)) {
    const doubled = 2 * low;
    if (high + doubled - high === doubled) high += doubled;
  }
  return high;
}

const quantiles: number[] = [];

/**
 * The 0.975 quantile of Student's t distribution, to 1e-12 of its value.
 *
 * By bisection of the finite series for whole degrees of freedom: Abramowitz and Stegun (1964), 26.7.3
 * and 26.7.4.
 */
export function tQuantile975(degreesOfFreedom: number): number {
  const known = quantiles[degreesOfFreedom];
  if (known !== undefined) return known;
  let [low, high] = [1, 13]; // 1.96 for infinitely many degrees of freedom, 12.7 for one
  while (high - low > 1e-12 * low) {
    const middle = (low + high) / 2;
    if (within(middle, degreesOfFreedom) < 0.95) low = middle;
    else high = middle;
  }
  return (quantiles[degreesOfFreedom] = (low + high) / 2);
}

/** The probability that |T| <= t. */
function within(t: number, degreesOfFreedom: number): number {
  const theta = Math.atan(t / Math.sqrt(degreesOfFreedom));
  const [sine, cosine] = [Math.sin(theta), Math.cos(theta)];
  const isOdd = degreesOfFreedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let total = 0;
  for (let k = isOdd ? 2 : 1; k < degreesOfFreedom; k += 2) {
    total += term;
    term *= (cosine ** 2 * k) / (k + 1);
  }
  return isOdd ? (2 / Math.PI) * (theta + sine * total) : sine * total;
}

/** With so many decimals, and no sign before a zero. */
export function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? text.replace("-", "") : text;
}
