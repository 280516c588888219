import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_UNAVAILABLE } from '../deployed/available.ts';
import { hasEmbedded } from '../kit/dynamodb/dynamodb.ts';
import { BUGS } from '../simulation/bugs/bugs.ts';
import type { Proof } from './proof.ts';

const MINUTE = 60_000;

/** Rooms whose every file is at 100 %: of one file alone the score can be asked for, too. */
const MUTATED = ['functions/changes', 'functions/store'];

/** As many for each commit, so that CI fails for no plan that was not run before it, however fast its machine is. */
const PLANS = 1_200;

const OVER_EMBEDDED: Proof = {
  name: 'over the embedded DynamoDB',
  commands: [
    {
      what: 'the tests of the stores, the pass, the schedule and the operations over the embedded DynamoDB',
      args: [
        ...['node_modules/vitest/vitest.mjs', 'run', '--reporter=default'],
        ...['test/store', 'test/pass', 'test/schedule', 'test/operations/contract.test.ts'],
      ],
      environment: { TEST_TABLE: 'dynamodb' },
    },
  ],
  within: MINUTE,
  atMost: 10 * MINUTE,
};

/**
 * The long proofs, in the order of a run. What is only a share changes with `turn`, so that all of it has its turn.
 * @param base the first seed of the simulation, and the crash test's
 */
export function proofsOf({ root, turn, base }: { root: string; turn: number; base: number }): Proof[] {
  const files = MUTATED.flatMap(room => sourcesIn(root, room));
  return [
    {
      name: 'deployed',
      commands: [
        { what: 'the deployed test', args: ['test/deployed/run.ts'], environment: { TEST_PATIENCE: '3' } },
      ],
      within: MINUTE,
      atMost: 25 * MINUTE,
      isBeside: true,
      unavailable: EXIT_UNAVAILABLE,
    },
    {
      name: 'simulation',
      commands: [
        {
          what: `${PLANS} plans of the simulation, or as many as 10 minutes allow, from seed ${base} on`,
          args: ['test/simulation/simulate.ts', '--seeds', `${PLANS}`, '--for', '10m', '--base', `${base}`],
          isPatient: true,
        },
      ],
      within: MINUTE,
      atMost: 13 * MINUTE,
    },
    {
      name: 'kills',
      commands: [
        {
          what: `40 kills of the local run, seed ${base}`,
          args: ['test/crash/main.ts', '--seed', `${base}`, '--kills', '40', '--limit', '8m'],
        },
      ],
      within: MINUTE,
      atMost: 9 * MINUTE,
    },
    ...(hasEmbedded() ? [OVER_EMBEDDED] : []),
    {
      name: 'elsewhere',
      commands: [{ what: 'npm start and tests of another platform', args: ['test/proofs/elsewhere.ts'] }],
      within: MINUTE,
      atMost: 10 * MINUTE,
    },
    // They take all processors, and wait for answers in time, as the deployed test does.
    {
      name: 'long tests',
      commands: [
        {
          what: 'the tests that take many seconds',
          args: ['node_modules/vitest/vitest.mjs', 'run', '--mode', 'long'],
        },
      ],
      within: MINUTE,
      atMost: 20 * MINUTE,
      isBehind: true,
    },
    {
      name: 'deliberate bugs',
      commands: turned(BUGS, turn).map(({ name }) => ({
        what: `the deliberate bug “${name}”`,
        args: ['test/simulation/bugs/find.ts', name],
      })),
      within: 3 * MINUTE,
      atMost: 5 * MINUTE,
    },
    {
      name: 'mutations',
      commands: turned(files, turn).map(file => ({
        what: `mutations of ${file}`,
        args: ['test/mutation/run.ts', file],
      })),
      within: 4 * MINUTE,
      atMost: 10 * MINUTE,
    },
  ];
}

/** The list from another place each turn. */
function turned<Item>(list: readonly Item[], turn: number): Item[] {
  const at = (turn * 7) % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

function sourcesIn(root: string, room: string): string[] {
  return readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .sort()
    .map(file => `${room}/${file}`);
}
