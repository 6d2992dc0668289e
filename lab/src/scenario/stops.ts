// The values at which a slider stops.

/** Steps of a decade: each looks about as large as the next. */
const MANTISSAS = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

export interface Range {
  from: number;
  to: number;
  /** Equal steps of this size; without it steps grow with the value. */
  step?: number;
  /** Whether 0 comes before `from`. */
  zero?: boolean;
}

/** The stops of a range in ascending order; `value`, the present one, is always among them. */
export function stops(range: Range, isWhole: boolean, value: number | null): number[] {
  const values = range.step ? evenly(range.from, range.to, range.step) : growing(range, isWhole);
  if (range.zero) values.push(0);
  if (value !== null) values.push(value);
  return [...new Set(values)].sort((a, b) => a - b);
}

function evenly(from: number, to: number, step: number): number[] {
  const count = Math.floor((to - from) / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => rounded(from + index * step));
}

function growing({ from, to }: Range, isWhole: boolean): number[] {
  const values: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++) {
    for (const mantissa of MANTISSAS) {
      const value = rounded(mantissa * 10 ** power);
      if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) values.push(value);
    }
  }
  if (isWhole) values.push(...evenly(Math.ceil(from), Math.min(to, 10), 1));
  values.push(...(isWhole ? [Math.ceil(from), Math.floor(to)] : [from, to]));
  return values;
}

/** Without what binary fractions add. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
