import { expect, it } from 'vitest';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { AT, content, noise, snapshot } from '../../kit/store/subject.ts';
import { openModel } from '../../kit/table.ts';

it('a head has its snapshot at hand, unless further items hold parts of that', async () => {
  const snapshots = createSnapshots(openModel());
  const process = { workspace: 'eu', processId: 'p' };
  const small = snapshot(AT, content({ name: 'Acme' }));
  const large = snapshot(AT, content({ text: noise(900_000) }));
  for (const [projectId, given] of Object.entries({ small, large }))
    await snapshots.commit(process, {
      ...{ projectId, expected: undefined, snapshot: given },
      ...{ version: AT, events: [], at: AT },
    });
  const heads = (await Array.fromAsync(snapshots.heads(process))).flat();
  expect(heads.map(head => [head.projectId, head.whole?.()?.content])).toEqual([
    ['large', undefined],
    ['small', small.content],
  ]);
});
