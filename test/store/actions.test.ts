import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { createActions } from '../../functions/store/dynamo/actions.ts';
import type { Action, Actions, Subject } from '../../functions/store/store.ts';
import { AT, PROCESSES, STORES } from '../kit/operations/context.ts';
import { openModel } from '../kit/table.ts';

const SUBJECTS: readonly Subject[] = [
  { endpoint: 'crm' },
  { endpoint: 'on boarding' },
  ...PROCESSES.map(process => ({ process })),
  { stack: true },
];
const actionOf = (subject: Subject, at: number, details?: string): Action => ({
  ...{ at, who: 'arn:aws:iam::1:user/ann', isProven: true, operation: 'pause-endpoint', subject },
  ...(details !== undefined && { details }),
});

async function all(actions: Actions, subject: Subject | undefined, limit: number) {
  const found: Action[] = [];
  for (let position: string | undefined; ; ) {
    const page = await actions.list(subject, limit, position);
    expect(page.actions.length).toBeLessThanOrEqual(limit);
    found.push(...page.actions);
    position = page.position;
    if (position === undefined) return found;
  }
}

describe.each(STORES)('who did what, in %s', (_, open) => {
  it('is told of each endpoint and process alone, each once, the newest first, over any pages', async () => {
    const done = fc.record({ subject: fc.constantFrom(...SUBJECTS), gap: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(done, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (noted, limit) => {
          const stores = open();
          let at = AT;
          const told: Action[] = [];
          for (const { subject, gap } of noted) {
            at += gap;
            const action = actionOf(subject, at, `number ${told.length}`);
            await stores.actions.note(action);
            told.push(action);
          }
          expect(await all(stores.actions, undefined, limit)).toEqual(told.toReversed());
          for (const subject of SUBJECTS)
            expect(await all(stores.actions, subject, limit)).toEqual(
              told.filter(one => one.subject === subject).toReversed(),
            );
          stores.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('keeps all that was done in one millisecond, and comes behind a page what was there', async () => {
    const stores = open();
    onTestFinished(() => stores.close());
    const [subject] = SUBJECTS as [Subject];
    for (const details of ['a', 'b', 'c']) await stores.actions.note(actionOf(subject, AT, details));
    const found = await all(stores.actions, subject, 2);
    expect(found.map(({ details }) => details).toSorted()).toEqual(['a', 'b', 'c']);
    expect((await stores.actions.list(subject, 4)).position).toBeUndefined();
    const { position } = await stores.actions.list(subject, 1);
    await stores.actions.note(actionOf(subject, AT + 1));
    expect((await stores.actions.list(subject, 9, position)).actions).toHaveLength(2);
  });
});

it('who did what, in the table, stands in the partition of what it was done to, and expires after 400 days', async () => {
  const table = openModel();
  const process = PROCESSES[0] as ProcessKey;
  for (const [index, subject] of [{ endpoint: 'crm' }, { process }].entries())
    await createActions(table).note(actionOf(subject, AT + index));
  const rows = [...table.model.items()].map(({ pk, sk, expiresAt }) => [pk?.S, sk?.S, expiresAt?.N]);
  const expiresAt = String(AT / 1000 + 400 * 86_400);
  const key = expect.stringMatching(new RegExp(`^ACTION#${AT / 10}\\d#[0-9a-z]+$`));
  const copy = expect.stringMatching(new RegExp(`^ANY#${AT / 10}\\d#[0-9a-z]+$`));
  expect(rows).toEqual([
    ['ENDPOINT#crm', key, expiresAt],
    ['STACK', copy, expiresAt],
    ['STACK', copy, expiresAt],
    ['W#eu#P#on%20boarding', key, expiresAt],
  ]);
});

it('who did what, in the table, sorts by its time, however early that is', async () => {
  const table = openModel();
  const [subject] = SUBJECTS as [Subject];
  await createActions(table).note(actionOf(subject, 5));
  expect([...table.model.items()][0]?.sk?.S).toMatch(/^ACTION#0000000000005#/);
});
