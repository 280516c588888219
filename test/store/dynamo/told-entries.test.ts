import { expect, it } from 'vitest';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { AT, event } from '../../kit/store/subject.ts';
import { openModel } from '../../kit/table.ts';

it('the row of an audit entry that was told names its change record, and expires after 400 days', async () => {
  const table = openModel();
  const process = { workspace: 'eu', processId: 'p' };
  const at = AT + 999;
  const request = { events: [event(AT)], version: AT, at };
  const announcement = { announced: 0, state: {}, entries: ['d1', 'd2'], request };
  expect(await createSnapshots(table).announce(process, announcement)).toBe('committed');
  const rows = [...table.model.items()].filter(({ sk }) => sk?.S?.startsWith('AUDIT#'));
  const kept = { change: { S: `CHANGE#${at}##${AT}` }, expiresAt: { N: String(AT / 1000 + 400 * 86_400) } };
  expect(rows).toEqual(
    ['d1', 'd2'].map(id => ({ pk: { S: 'W#eu#P#p' }, sk: { S: `AUDIT#${id}` }, ...kept })),
  );
});
