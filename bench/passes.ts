import { openHouse, PROCESS } from './house.ts';

/**
 * Invariants 5, 6 and 7 in numbers: what a pass costs over a small and over a large process, side by side in one run.
 * `npm run bench`; ratios matter, milliseconds are this machine's.
 */
const SIZES = [100, 1_000] as const;
const TASKS = 20;

const houses = await Promise.all(SIZES.map(projects => openHouse(projects, TASKS)));
const rows: { what: string; requests: number[]; ms: number[]; heap: number[] }[] = [];

async function measure(
  what: string,
  mode: 'changes' | 'sweep',
  edit?: (house: (typeof houses)[number]) => void,
) {
  const results = [];
  for (const house of houses) {
    edit?.(house);
    results.push(await house.pass(mode));
  }
  rows.push({
    what,
    requests: results.map(({ requests }) => requests),
    ms: results.map(({ ms }) => ms),
    heap: results.map(({ heap }) => heap),
  });
}

try {
  await measure('baseline', 'changes');
  await measure('first pass after it', 'changes');
  await measure('idle pass', 'changes');
  await measure('pass with one changed task', 'changes', ({ service }) =>
    service.workspace.updateTask(PROCESS, '1001', '500001', { status: 'Done' }),
  );
  await measure('sweep, nothing changed', 'sweep');
} finally {
  for (const house of houses) await house.close();
}

const [small, large] = SIZES;
const line = (cells: readonly string[]) =>
  cells.map((cell, index) => (index ? cell.padStart(26) : cell.padEnd(28))).join('');
const pair = (values: readonly number[], format: (value: number) => string) => {
  const [one = 0, other = 0] = values;
  const ratio = one > 0 ? ` (×${(other / one).toFixed(1)})` : '';
  return `${format(one)} → ${format(other)}${ratio}`;
};
const out = (text: string) => process.stdout.write(`${text}\n`);
out(`${small} → ${large} projects of ${TASKS} tasks (×${large / small})\n`);
out(line(['', 'requests', 'ms', 'heap growth, KB']));
for (const { what, requests, ms, heap } of rows) {
  const kilobytes = pair(heap, value => (value / 1024).toFixed(0));
  out(
    line([
      what,
      pair(requests, String),
      pair(ms, value => value.toFixed(0)),
      globalThis.gc ? kilobytes : '-',
    ]),
  );
}
