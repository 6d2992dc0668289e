// Numbers for people.

const UNITS: [unit: string, bps: number][] = [
  ["Mb/s", 1e6],
  ["kb/s", 1e3],
  ["b/s", 1],
];

/** As `5.23 Mb/s`: three significant digits, and no decimals from 100 on. */
export function formatRate(bps: number): string {
  // What is rounded to 1000 of a unit is 1 of the next.
  const [unit, base] = UNITS.find(([, base]) => bps >= 0.9995 * base) ?? UNITS.at(-1)!;
  const value = bps / base;
  return `${value >= 99.95 ? value.toFixed(0) : value.toPrecision(3)} ${unit}`;
}
