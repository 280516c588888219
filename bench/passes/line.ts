/** A line of the table. */
export interface Line {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** The result of a measurement; the notes stand below the table. */
export interface Findings {
  readonly lines: readonly Line[];
  readonly notes?: readonly string[];
}

export type Print = (text: string) => void;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

/** Whole numbers as they are, others with three significant digits. */
export function rounded(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** The median, with the least and the most where they differ. */
export function spread(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(rounded);
  return least === most ? `${least}` : `${rounded(median(values))} (${least} to ${most})`;
}
