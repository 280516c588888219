import { describe, expect, it } from 'vitest';
import type { NewMessage, Queue } from '../../functions/queue/queue.ts';
import { startPasses } from '../../functions/schedule/due.ts';
import { passMessage } from '../../functions/schedule/pass-message.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import { createTickClaims } from '../../functions/store/dynamo/tick.ts';
import { openModel } from '../kit/table.ts';
import { AT, MINUTE, SECOND } from '../kit/time.ts';

const processOf = (processId: string, interval = MINUTE, workspace = 'eu'): ScheduledProcess => ({
  ...{ workspace, processId, sweep: 6 * 60 * MINUTE },
  changes: { fastest: interval, slowest: interval },
});
const known = () => ({ baselined: true, pace: undefined, completedAt: AT, stalled: undefined });
/** A message of the queue, read. */
const passOf = ({ body, delay = 0, group }: NewMessage) => ({
  message: passMessage.parse(JSON.parse(body)),
  delay,
  group,
});
type Pass = ReturnType<typeof passOf>;

/** A queue that takes what `takes` says, and the claims of a table's model. */
function open(takes: (pass: Pass, tried: number) => boolean = () => true) {
  const world: { now: number; tried: number; period?: number } = { now: AT, tried: 0 };
  const sent: { pass: Pass; at: number }[] = [];
  const warned: object[] = [];
  const log = { warn: (message: string, details?: object) => void warned.push({ message, ...details }) };
  const queue: Pick<Queue, 'send'> = {
    send: async messages => {
      world.tried += 1;
      const all = messages.map(passOf);
      const taken = all.filter(pass => takes(pass, world.tried));
      sent.push(...taken.map(pass => ({ pass, at: world.now + pass.delay * SECOND })));
      const indexes = [...all.keys()].filter(index => !taken.includes(all[index] as Pass));
      return { indexes, ...(indexes.length > 0 && { reason: 'down' }) };
    },
  };
  const table = openModel();
  let chance = 0;
  const timing = { ...table.timing, random: () => ++chance / 1_000 };
  const claims = createTickClaims({ ...table, timing });
  const start = (...processes: ScheduledProcess[]) =>
    startPasses(processes, known, {
      ...{ queue, claims, log, clock: () => world.now },
      ...{ period: world.period, rows: new Map() },
    });
  return { world, sent, warned, start };
}

describe('a tick', () => {
  it('starts each pass of the next minute, in the group of its workspace, to the ms when it is due', async () => {
    const { sent, start } = open();
    const processes = Array.from({ length: 100 }, (_, index) => processOf(`p${index}`));
    const { sent: count } = await start(...processes);
    expect(sent).toHaveLength(count);
    const changes = sent.filter(({ pass }) => pass.message.mode === 'changes');
    expect(changes.map(({ pass }) => pass.message.processes.length)).toEqual([25, 25, 25, 25]);
    expect(new Set(changes.flatMap(({ pass }) => pass.message.processes)).size).toBe(100);
    for (const { pass, at } of changes) {
      const due = pass.message.expiresAt - MINUTE;
      expect(Math.ceil(at)).toBe(due);
      expect(pass.group).toBe('eu');
    }
  });

  it('of which the queue does not take some tries those again, and says how many are not in it', async () => {
    const two = [processOf('p1'), processOf('p2', MINUTE, 'us')];
    const later = open(({ group }, tried) => group !== 'eu' || tried === 3);
    expect(await later.start(...two)).toEqual({ sent: 2, unsent: 0 });
    expect(later.sent.map(({ pass }) => pass.message.processes)).toEqual([['p2'], ['p1']]);
    const never = open(({ group }) => group !== 'eu');
    expect(await never.start(...two)).toEqual({ sent: 1, unsent: 1 });
    expect(never.world.tried).toBe(3);
    const refused = {
      message: 'Could not send all messages to the passes queue.',
      ...{ code: 'passes.unsent', unsent: 1, reason: 'down' },
    };
    expect(never.warned).toEqual([refused, refused, refused]);
    const once = open();
    await once.start(processOf('p1'));
    expect(once.world.tried).toBe(1);
    // The time is claimed.
    expect(await once.start(processOf('p1'))).toEqual({ sent: 0, unsent: 0 });
  });

  it('whose clock went far ahead, and back, goes on from now', async () => {
    const { world, sent, start } = open();
    world.now = AT + 30 * 24 * 60 * MINUTE;
    await start(processOf('p'));
    world.now = AT;
    sent.length = 0;
    expect(await start(processOf('p'))).toEqual({ sent: 1, unsent: 0 });
  });

  it('that comes more often starts what is due until the next one', async () => {
    const { world, sent, start } = open();
    world.period = 4 * SECOND;
    const process = { ...processOf('p'), sweep: 4 * SECOND };
    for (let tick = 0; tick < 15; tick++) {
      await start(process);
      world.now += 4 * SECOND;
    }
    expect(sent.filter(({ pass }) => pass.message.mode === 'sweep')).toHaveLength(15);
    expect(sent.every(({ pass }) => pass.delay <= 4)).toBe(true);
  });

  it('is the first: it starts nothing that was due before', async () => {
    const { sent, start } = open();
    await start(processOf('p', 6 * 60 * MINUTE));
    expect(sent).toEqual([]);
  });
});
