import type { QueryCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { createJournalReader } from '../../../functions/store/dynamo/journal.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { AT, commit } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';
import { openModel } from '../../kit/table.ts';

const [eu, us, other] = [
  { workspace: 'eu', processId: 'p' },
  { workspace: 'us', processId: 'p' },
  { workspace: 'as', processId: 'q' },
] as const;
const ALWAYS = { since: 0, until: Number.MAX_SAFE_INTEGER };

/** A table whose queries are kept, and a reader of the journals of these processes. */
function open(...processes: ProcessKey[]) {
  const table = openModel();
  const queries: QueryCommand['input'][] = [];
  const client = {
    send: (command: QueryCommand) => {
      queries.push(command.input);
      return table.client.send(command);
    },
  };
  const journal = createJournalReader({ ...table, client: client as never }, processes);
  const tell = async (process: ProcessKey, at = AT, projectId = 'p1') => {
    const events = eventsOf(at, 1, { process, projectId });
    await commit({ snapshots: createSnapshots(table) }, events, { process, at, projectId });
    return events[0]?.id as string;
  };
  return { journal, queries, tell };
}

describe('the journal in the table', () => {
  let opened: ReturnType<typeof open>;
  beforeEach(() => {
    opened = open(eu, us, other);
  });

  it('is read as it is now', async () => {
    await opened.journal.read(ALWAYS, 1);
    expect(opened.queries.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true]);
  });

  it('ends with the last slice of its last process, or where the stretch does', async () => {
    const { journal, tell } = open(eu);
    for (const at of [AT, AT + 1, AT + 2]) await tell(eu, at, `p${at}`);
    expect(await journal.read(ALWAYS, 9)).toMatchObject({ entries: [{}, {}, {}], position: undefined });
    expect(await journal.read({ since: 0, until: AT + 1 }, 2)).toMatchObject({
      entries: [{ at: AT }],
      position: undefined,
    });
  });

  it('goes on with the next process where that of its position is not configured any more', async () => {
    const { journal, tell } = open(us);
    await tell(us);
    const of = (pk: string) => ({ ...ALWAYS, position: JSON.stringify([pk, `CHANGE#${AT + 9}`]) });
    expect(await journal.read(of('W#eu#P#p'), 9)).toMatchObject({ entries: [{ at: AT }] });
    expect(await journal.read(of('W#zz#P#p'), 9)).toEqual({ entries: [], position: undefined });
  });

  it('is searched for an event in its process alone, of whichever workspace', async () => {
    const { journal, queries, tell } = opened;
    const id = await tell(us);
    expect(await journal.find(id)).toMatchObject({ at: AT, event: { id } });
    const asked = queries.map(({ ExpressionAttributeValues: values }) => values?.[':pk']?.S);
    expect([...new Set(asked)]).toEqual(['W#eu#P#p', 'W#us#P#p']);
    expect(await open().journal.find(id)).toBeUndefined();
  });

  it('finds an event whose record has the longest key, and asks for none that no key can hold', async () => {
    const { journal, queries, tell } = opened;
    const longest = 'x'.repeat(1024 - `CHANGE#${AT}##${AT}`.length);
    const id = await tell(eu, AT, longest);
    expect(await journal.find(id)).toMatchObject({ event: { id } });
    queries.length = 0;
    expect(await journal.find(id.replace('x', 'xx'))).toBeUndefined();
    expect(queries).toEqual([]);
  });
});
