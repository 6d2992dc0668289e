// Quantities: numbers in the base unit, and text with a unit, as scenarios have them.

export type Dimension = "time" | "rate" | "size" | "frequency";

/** Units from large to small, by the value of one in the base unit. */
const UNITS: Record<Dimension, [unit: string, base: number][]> = {
  time: [
    ["s", 1],
    ["ms", 1e-3],
    ["us", 1e-6],
    ["ns", 1e-9],
  ],
  rate: [
    ["Gbps", 1e9],
    ["Mbps", 1e6],
    ["kbps", 1e3],
    ["bps", 1],
  ],
  size: [
    ["GB", 1e9],
    ["MB", 1e6],
    ["KB", 1e3],
    ["B", 1],
  ],
  frequency: [
    ["GHz", 1e9],
    ["MHz", 1e6],
    ["kHz", 1e3],
    ["Hz", 1],
  ],
};

/** As `20 ms`: the largest unit of which there is at least one. */
export function formatQuantity(value: number, dimension: Dimension): string {
  const units = UNITS[dimension];
  if (value === 0) return dimension === "time" ? "0 s" : `0 ${units.at(-1)![0]}`;
  const [unit, base] = units.find(([, base]) => value >= base * (1 - 1e-12)) ?? units.at(-1)!;
  // 12 digits are exact for what people write, and hide what division adds.
  return `${Number((value / base).toPrecision(12))} ${unit}`;
}

/** The value in the base unit of text such as `20 ms`; null if it is none. */
export function parseQuantity(text: string, dimension: Dimension): number | null {
  const match = /^([0-9.]+(?:e[+-]?[0-9]+)?)\s*(|[^0-9.\s]\S*)$/i.exec(text.trim());
  if (!match) return null;
  const unit = match[2] === "" ? 1 : UNITS[dimension].find(([unit]) => unit === match[2])?.[1];
  const value = Number(match[1]) * (unit ?? NaN);
  return Number.isFinite(value) ? Number(value.toPrecision(12)) : null;
}

/** The dimension of text such as `0.005 s` or of a description such as `a time above 0`. */
export function dimensionOf(text: string): Dimension | null {
  const unit = /^[0-9.+-]+(?:e[0-9.+-]+)* ?([a-zA-Z]+)$/.exec(text)?.[1];
  if (unit) {
    const match = Object.entries(UNITS).find(([, units]) => units.some(([name]) => name === unit));
    return match ? (match[0] as Dimension) : null;
  }
  return null;
}
