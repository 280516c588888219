import { readdirSync, readFileSync } from 'node:fs';

/** What a process and all its descendants have used. */
export interface Usage {
  /** Processor time, user and system, in s. */
  readonly cpu: number;
  /** The sum of the most memory that each of them had, in MB. */
  readonly memory: number;
}

const TICKS_PER_SECOND = 100;

/** Linux only: it reads /proc. */
export function usageOf(root: number): Usage {
  const all = processes();
  const tree = new Set([root]);
  for (let before = 0; before !== tree.size; ) {
    before = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
  }
  const usages = all.filter(({ pid }) => tree.has(pid));
  return {
    cpu: usages.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND,
    memory: usages.reduce((sum, { pid }) => sum + peakOf(pid), 0) / 1024,
  };
}

function processes(): { pid: number; parent: number; ticks: number }[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap(pid => {
      const stat = read(`/proc/${pid}/stat`);
      // After the name, which may contain anything: state, parent, …, user time (12th), system time
      // (13th).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return stat === ''
        ? []
        : [{ pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
    });
}

/** The most memory that the process had, in KB. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
