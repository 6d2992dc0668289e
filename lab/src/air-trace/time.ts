// Durations and times as text.

/** Nanoseconds as "50 µs" or "1.274 ms". */
export function duration(ns: number): string {
  if (ns < 1e6) return `${round(ns / 1e3, 1)} µs`;
  if (ns < 1e9) return `${round(ns / 1e6, 3)} ms`;
  return `${round(ns / 1e9, 3)} s`;
}

/** Nanoseconds as seconds with six digits behind the point. */
export function seconds(ns: number): string {
  return `${(ns / 1e9).toFixed(6)} s`;
}

function round(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}
