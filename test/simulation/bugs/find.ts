import { availableParallelism } from 'node:os';
import { BUGS, type Bug, CARELESS } from './bugs.ts';
import { byEnumeration, bySimulation, byTests, SEEDS } from './search.ts';

/** Shows that each deliberate bug would be found if it were in the code: puts it into a copy, several
 *  side by side, and runs the tests or enumerates the small world that the bug names, or else simulates until an invariant is
 *  violated.
 *  Fails when nothing finds a bug, or when too many of the careless ones are found by tests only.
 *  Arguments are names of bugs: then only these. */
const LEAST_SIMULATED = 16;

type Finder = 'simulation' | 'enumeration' | 'tests';

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const wanted = new Set(process.argv.slice(2));
const bugs = BUGS.filter(({ name }) => wanted.size === 0 || wanted.has(name));
const found = new Map<Bug, Finder>();
const rest = bugs.values();

say(`${'deliberate bug'.padEnd(60)} ${'room'.padEnd(15)} found by`);
await Promise.all(Array.from({ length: availableParallelism() }, findSome));
const [simulated, enumerated, tested] = [count('simulation'), count('enumeration'), count('tests')];
say(
  `${bugs.length} bugs: ${simulated} found by the simulation, ${enumerated} by the enumeration of small worlds, ` +
    `${tested} by tests, ${bugs.length - found.size} by nothing.`,
);
if (wanted.size === 0) say(`Simulation alone: ${simulatedOf(CARELESS)} of ${CARELESS.length} new.`);
const isEnough = wanted.size > 0 || simulatedOf(CARELESS) >= LEAST_SIMULATED;
process.exitCode = isEnough && found.size === bugs.length ? 0 : 1;

async function findSome(): Promise<void> {
  for (const bug of rest) {
    const by = await find(bug).catch(String);
    say(
      `${bug.name.padEnd(60)} ${roomOf(bug).padEnd(15)} ${by ?? (bug.foundBy === undefined ? `NOTHING within ${SEEDS} seeds` : 'NOTHING')}`,
    );
  }
}

async function find(bug: Bug): Promise<string | undefined> {
  const { foundBy } = bug;
  if (foundBy === undefined) return foundIn('simulation', await bySimulation(bug));
  if (typeof foundBy === 'string') return foundIn('tests', await byTests(bug, foundBy));
  return foundIn('enumeration', await byEnumeration(bug, foundBy.world));

  function foundIn(by: Finder, how: string | undefined): string | undefined {
    if (how) found.set(bug, by);
    return how;
  }
}

/** The folder of `functions/`, or the file in it, that has the bug. */
function roomOf({ edits: [first] }: Bug): string {
  return first?.file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function count(by: Finder): number {
  return [...found.values()].filter(one => one === by).length;
}

function simulatedOf(some: readonly Bug[]): number {
  return some.filter(bug => found.get(bug) === 'simulation').length;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
