import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** When each process was last swept, so that restarts neither put sweeps off for ever nor bring one each. */
export interface SweepTimes {
  /** ms since 1970; a process that was never heard of counts as swept at `now`, for it begins with a baseline. */
  lastOf(process: string, now: number): number;
  swept(process: string, now: number): void;
}

const times = z.record(z.string(), z.number());

/** Keeps them in a JSON file; one that can't be read is begun anew, at the price of a late sweep. */
export function fileSweepTimes(file: string): SweepTimes {
  const known = new Map(Object.entries(load(file)));
  const save = (process: string, now: number) => {
    known.set(process, now);
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(known)));
    renameSync(`${file}.new`, file);
    return now;
  };
  return {
    lastOf: (process, now) => known.get(process) ?? save(process, now),
    swept: save,
  };
}

function load(file: string): Record<string, number> {
  try {
    return times.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
