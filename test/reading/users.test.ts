import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Reader } from '../../functions/reading/reader.ts';
import { Users } from '../../functions/reading/users.ts';
import { ServiceStatusError } from '../../functions/service/errors.ts';
import type { KnownUsers } from '../../functions/snapshots/snapshots.ts';

const HOUR = 3_600_000;
type Answer = Error | readonly JsonObject[];

/** A workspace whose list of users is read by passes, each a `Users` of its own. */
function workspace(list: Answer) {
  const world = {
    now: 1_000_000_000_000,
    list,
    one: new Map<string, Answer>(),
    asked: [] as string[],
    said: [] as string[],
    kept: undefined as KnownUsers | undefined,
  };
  const recordOf = (fields: JsonObject) => ({
    id: String(fields.id),
    fields,
    ...(fields.flaw && { flaw: new Error() }),
  });
  const reader = {
    heartbeat: { beat: async () => {} },
    reports: { once: (code: string) => world.said.push(code) },
    parts: {
      process: { workspace: 'w', processId: 'p' },
      clock: () => world.now,
      log: { warn: (message: string) => world.said.push(message) },
      snapshots: {
        users: async () => world.kept,
        saveUsers: async (_process: object, users: KnownUsers) => {
          world.kept = users;
        },
      },
      service: {
        async *users() {
          world.asked.push('list');
          if (world.list instanceof Error) throw world.list;
          yield { items: world.list.map(recordOf) };
        },
        user: async (id: string) => {
          world.asked.push(id);
          const answer = world.one.get(id) ?? new ServiceStatusError('GET /user', 404, 'no such user');
          if (answer instanceof Error) throw answer;
          return recordOf((answer as readonly JsonObject[])[0] ?? {});
        },
      },
    },
  } as unknown as Reader;
  return { world, pass: () => new Users(reader) };
}
const ANN = { id: 'u1', name: 'Ann' };
const status = (code: number) => new ServiceStatusError('GET /users', code, 'refused');

describe('the users', () => {
  it('are read once for all passes, and have their names by id', async () => {
    const { world, pass } = workspace([ANN, { id: 'u2' }]);
    const expected = new Map([
      ['u1', 'Ann'],
      ['u2', undefined],
    ]);
    const first = pass();
    const found = await Promise.all([first.among([['u1']]), first.among([['u2']])]);
    expect(found).toEqual([expected, expected]);
    expect(await pass().among([['u2', 'x']])).toEqual(expected);
    expect(world.asked).toEqual(['list']);
  });

  it.each<[string, JsonObject, string | undefined]>([
    ['name', { name: ' Ann ', displayName: 'A' }, 'Ann'],
    ['displayName', { name: '', displayName: 'Ann' }, 'Ann'],
    ['fullName', { name: 7, fullName: 'Ann Lee' }, 'Ann Lee'],
    ['firstName and lastName', { firstName: 'Ann', lastName: 'Lee' }, 'Ann Lee'],
    ['firstName alone', { firstName: 'Ann', lastName: null }, 'Ann'],
    ['nothing', { email: 'ann@example.com' }, undefined],
    ['at most 200 characters', { name: 'n'.repeat(300) }, 'n'.repeat(200)],
    ['whole characters', { name: `${'n'.repeat(199)}😀` }, `${'n'.repeat(199)}\uFFFD`],
  ])('have the name that the service tells as %s', async (_where, fields, name) => {
    expect(
      await workspace([{ id: 'u1', ...fields }])
        .pass()
        .among([['u1']]),
    ).toEqual(new Map([['u1', name]]));
  });

  it('leave out one whose record can not be used', async () => {
    const { pass } = workspace([ANN, { id: 'u2', flaw: true }]);
    expect([...(await pass().among([['u1']])).keys()]).toEqual(['u1']);
  });

  it('are read again after an hour for an entry with none that is known, after a day in any case', async () => {
    const { world, pass } = workspace([ANN]);
    await pass().among([['u1']]);
    world.list = [{ ...ANN, name: 'Ann Lee' }, { id: 'u2' }];
    world.now += HOUR - 1;
    await pass().among([['u1']]);
    world.now += 1;
    await pass().among([['u1', 'u9']]);
    expect(world.asked).toEqual(['list']);
    expect((await pass().among([['u1'], ['u2']])).has('u2')).toBe(true);
    world.now += 24 * HOUR - 1;
    await pass().among([['u1']]);
    expect(world.asked).toEqual(['list', 'list']);
    world.now += 1;
    await pass().among([['u1']]);
    expect(world.asked).toEqual(['list', 'list', 'list']);
  });

  it('within the hour: one who is not known is asked for alone, one in each pass, and nobody twice', async () => {
    const { world, pass } = workspace([ANN]);
    await pass().among([['u1']]);
    world.one.set('u2', [{ id: 'u2', name: 'Ben' }]);
    const next = pass();
    expect((await next.among([['x', 'u2'], ['u3']])).get('u2')).toBe('Ben');
    expect((await next.among([['u3']])).has('u3')).toBe(false);
    expect(world.asked).toEqual(['list', 'u2']);
    for (let passes = 0; passes < 3; passes++) await pass().among([['u3']]);
    expect(world.asked).toEqual(['list', 'u2', 'u3']);
  });

  it('take for a user only who answers by that very id', async () => {
    const { world, pass } = workspace([ANN]);
    await pass().among([['u1']]);
    world.one.set('u2', [{ id: 'u1', name: 'Ann' }]);
    expect((await pass().among([['u2']])).has('u2')).toBe(false);
  });

  it('stop asking for single ids after a hundred that were nobody’s, until the list is read again', async () => {
    const { world, pass } = workspace([ANN]);
    await pass().among([['u1']]);
    for (let index = 0; index < 110; index++) await pass().among([[`x${index}`]]);
    expect(world.asked).toHaveLength(101);
    world.now += HOUR;
    await pass().among([['x1']]);
    await pass().among([['x2']]);
    expect(world.asked.slice(101)).toEqual(['list', 'x2']);
  });

  it('stay as they were where their list is refused, which is said, and asked again after an hour', async () => {
    const { world, pass } = workspace([ANN]);
    await pass().among([['u1']]);
    world.list = status(403);
    world.now += HOUR;
    expect([...(await pass().among([['u2']])).keys()]).toEqual(['u1']);
    expect(world.said).toEqual(['users-denied']);
    world.now += HOUR - 1;
    await pass().among([['u2']]);
    world.now += 1;
    await pass().among([['u2']]);
    expect(world.asked.filter(each => each === 'list')).toHaveLength(3);
  });

  it('are asked for again after five minutes where the service failed', async () => {
    const { world, pass } = workspace(status(500));
    expect((await pass().among([['u1']])).size).toBe(0);
    expect(world.said).toEqual([expect.stringMatching(/list of users can not be read/)]);
    world.list = [ANN];
    world.now += 300_000;
    expect((await pass().among([['u1']])).size).toBe(1);
  });

  it('are kept only as many as fit into one item of the table, which is said', async () => {
    const { world, pass } = workspace(
      Array.from({ length: 300 }, (_, index) => ({ id: `${'u'.repeat(2_000)}${index}` })),
    );
    const { size } = await pass().among([['u1']]);
    expect(size).toBe(189);
    expect(JSON.stringify(world.kept).length).toBeLessThan(400_000);
    expect(world.said).toEqual(['users-overfull']);
  });

  it('throw what is no fault of the service', async () => {
    const { pass } = workspace(new RangeError('a defect'));
    const users = pass();
    await expect(users.among([['u1']])).rejects.toThrow('a defect');
  });
});
