import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { KnownUsers } from '../../../functions/model/snapshot.ts';
import { Users } from '../../../functions/pass/reading/users.ts';
import { ServiceError, ServiceStatusError } from '../../../functions/service/errors.ts';
import { passContext } from '../../kit/pass/context.ts';

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
    details: [] as (object | undefined)[],
    timing: [] as (number | undefined)[],
    kept: undefined as KnownUsers | undefined,
  };
  const recordOf = (fields: JsonObject) => {
    const flaw = fields.flaw && { flaw: new Error() };
    return { id: String(fields.id), fields, ...flaw };
  };
  const say = (message: string, details?: object) => {
    world.said.push(message);
    world.details.push(details);
  };
  const context = passContext({
    reports: {
      once: (code: string, message: string, details?: object) => say(`${code}: ${message}`, details),
    },
    clock: () => world.now,
    log: { warn: say },
    snapshots: {
      users: async () => world.kept,
      saveUsers: async (_process: object, users: KnownUsers) => {
        world.kept = users;
      },
    },
    service: {
      async *users({ ms }: { ms?: number }) {
        world.asked.push('list');
        world.timing.push(ms);
        if (world.list instanceof Error) throw world.list;
        yield { items: world.list.map(recordOf) };
      },
      user: async (id: string, { ms }: { ms?: number }) => {
        world.asked.push(id);
        world.timing.push(ms);
        const answer = world.one.get(id) ?? new ServiceStatusError('GET /user', 404, 'no such user');
        if (answer instanceof Error) throw answer;
        return recordOf((answer as readonly JsonObject[])[0] ?? {});
      },
    },
  });
  return { world, pass: () => new Users(context) };
}
const ANN = { id: 'u1', name: 'Ann' };
/** A workspace whose list, with Ann alone, a pass has read. */
async function listed() {
  const made = workspace([ANN]);
  await made.pass().among([['u1']]);
  return made;
}
const status = (code: number) => new ServiceStatusError('GET /users', code, 'refused');
/** What is said with the news that the list can't be read. */
const unread = (why: string) => ({
  ...{ workspace: 'eu', processId: 'p', code: 'users-unread' },
  error: expect.stringContaining(why),
});

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
    expect(await first.among([['x']])).toEqual(expected);
    expect(await pass().among([['u2', 'x']])).toEqual(expected);
    expect(world.asked).toEqual(['list']);
  });

  it('are waited for no longer than ten seconds', async () => {
    const { world, pass } = await listed();
    await pass().among([['u2']]);
    expect(world.asked).toEqual(['list', 'u2']);
    expect(world.timing).toEqual([10_000, 10_000]);
  });

  it('are not asked for by an entry that names nobody', async () => {
    const { world, pass } = await listed();
    for (let passes = 0; passes < 2; passes++) {
      await pass().among([[]]);
      await pass().among([]);
      world.now += HOUR;
    }
    expect(world.asked).toEqual(['list']);
  });

  it.each<[string, JsonObject, string | undefined]>([
    ['name', { name: ' Ann ', displayName: 'A' }, 'Ann'],
    ['displayName', { name: ' ', displayName: 'Ann' }, 'Ann'],
    ['fullName', { name: 7, fullName: 'Ann Lee' }, 'Ann Lee'],
    ['firstName and lastName', { firstName: 'Ann', lastName: 'Lee' }, 'Ann Lee'],
    ['firstName alone', { firstName: 'Ann', lastName: 7 }, 'Ann'],
    ['nothing', { email: 'ann@example.com' }, undefined],
    ['at most 200 characters', { name: 'n'.repeat(300) }, 'n'.repeat(200)],
    ['whole characters', { name: `${'n'.repeat(199)}😀` }, `${'n'.repeat(199)}\uFFFD`],
  ])('have the name that the service tells as %s', async (_where, fields, name) => {
    const { pass } = workspace([{ id: 'u1', ...fields }]);
    expect(await pass().among([['u1']])).toEqual(new Map([['u1', name]]));
  });

  it('leave out one whose record cannot be used', async () => {
    const { pass } = workspace([ANN, { id: 'u2', flaw: true }]);
    expect([...(await pass().among([['u1']])).keys()]).toEqual(['u1']);
  });

  it('are read again after an hour for an entry with none that is known, after a day in any case', async () => {
    const { world, pass } = await listed();
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
    const { world, pass } = await listed();
    world.one.set('u2', [{ id: 'u2', name: 'Ben' }]);
    const next = pass();
    expect((await next.among([['x', 'u2'], ['u3']])).get('u2')).toBe('Ben');
    expect((await next.among([['u3']])).has('u3')).toBe(false);
    expect(world.asked).toEqual(['list', 'u2']);
    for (let passes = 0; passes < 3; passes++) await pass().among([['u3']]);
    expect(world.asked).toEqual(['list', 'u2', 'u3']);
  });

  it('take for a user only who answers by that very id', async () => {
    const { world, pass } = await listed();
    world.one.set('u2', [{ id: 'u1', name: 'Ann' }]);
    expect((await pass().among([['u2']])).has('u2')).toBe(false);
    world.one.set('u3', [{ id: 'u3', flaw: true }]);
    expect((await pass().among([['u3']])).has('u3')).toBe(false);
    world.one.set('u4', [{ id: 'u4' }]);
    expect((await pass().among([['u4']])).has('u4')).toBe(true);
    const names = [['u1', 'Ann'], ['u4']];
    expect(world.kept).toEqual({ names, askedAt: world.now, unknownIds: ['u2', 'u3'] });
  });

  it('stop asking for single ids after a hundred that were nobody’s, until the list is read again', async () => {
    const { world, pass } = await listed();
    for (let index = 0; index < 110; index++) await pass().among([[`x${index}`]]);
    expect(world.asked).toHaveLength(101);
    world.now += HOUR;
    await pass().among([['x1']]);
    await pass().among([['x2']]);
    expect(world.asked.slice(101)).toEqual(['list', 'x2']);
  });

  it.each([401, 403, 404])('stay for an hour if their list is refused by %i, which is said', async code => {
    const { world, pass } = await listed();
    world.list = status(code);
    world.now += HOUR;
    expect([...(await pass().among([['u2']])).keys()]).toEqual(['u1']);
    expect(world.said).toEqual([expect.stringMatching(/^users-denied: The list of users cannot be read/)]);
    expect(world.details).toEqual([unread('refused')]);
    const lists = () => world.asked.filter(each => each === 'list').length;
    world.now += HOUR - 1;
    await pass().among([['u2']]);
    expect(lists()).toBe(2);
    world.now += 1;
    await pass().among([['u2']]);
    expect(lists()).toBe(3);
  });

  it('are asked for again after five minutes where the service failed', async () => {
    const { world, pass } = workspace(status(500));
    expect((await pass().among([['u1']])).size).toBe(0);
    expect(world.said).toEqual([expect.stringMatching(/^The list of users cannot be read/)]);
    expect(world.details).toEqual([unread('refused')]);
    world.list = [ANN];
    world.now += 299_999;
    expect((await pass().among([['u1']])).size).toBe(0);
    world.now += 1;
    expect((await pass().among([['u1']])).size).toBe(1);
  });

  it('are not denied by a failure that is no answer of the service', async () => {
    const timeOut = new ServiceError('GET /users', 'time-out');
    const { world, pass } = workspace(Object.assign(timeOut, { status: 403 }));
    await pass().among([['u1']]);
    expect(world.said).toEqual([expect.stringMatching(/^The list of users cannot be read/)]);
  });

  it('are kept only as many as fit into one item of the table, which is said', async () => {
    // With quotes, brackets and comma each takes 20,000 bytes of 380,000.
    const ids = Array.from({ length: 19 }, (_, index) => ({ id: String(index).padStart(19_995, 'u') }));
    const { world, pass } = workspace(ids);
    expect((await pass().among([['u1']])).size).toBe(19);
    expect(world.said).toEqual([]);
    const more = workspace([...ids, { id: 'x' }]);
    expect((await more.pass().among([['u1']])).size).toBe(19);
    expect(more.world.said).toEqual([expect.stringMatching(/^users-overfull: There are more users than/)]);
    expect(more.world.details).toEqual([{ kept: 19 }]);
    expect(JSON.stringify(more.world.kept).length).toBeLessThan(400_000);
  });

  it('throw what is no fault of the service', async () => {
    const { pass } = workspace(new RangeError('a defect'));
    const users = pass();
    await expect(users.among([['u1']])).rejects.toThrow('a defect');
    const alone = await listed();
    alone.world.one.set('u2', new RangeError('another'));
    await expect(alone.pass().among([['u2']])).rejects.toThrow('another');
  });
});
