import { createTick } from '../../../functions/handlers/create-tick.ts';
import type { Queue } from '../../../functions/queue/queue.ts';
import { passMessage } from '../../../functions/schedule/pass-message.ts';
import type { ScheduledProcess } from '../../../functions/schedule/scheduled.ts';
import { TICK_KEY } from '../../../functions/store/keys.ts';
import { leaseOf } from '../../kit/store/subject.ts';
import { failingWith } from '../life.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';

const MINUTE_MS = 60_000;
const STEP_MS = 20_000;
const PROCESS: ScheduledProcess = {
  ...{ workspace: 'eu', processId: 'p', sweep: 24 * 3_600_000 },
  changes: { fastest: STEP_MS, slowest: STEP_MS },
};

/** Two ticks, a while apart or not; and a third one a minute later. */
export function tickWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  const all = [
    [0, 0],
    [0, 4_000],
    [0, 0, MINUTE_MS],
  ];
  return [true, false].flatMap(isFirst => all.map(aheads => ticksThatMeet(storage, aheads, isFirst)));
}

/** A small world: ticks whose clocks are ahead by these times, in ms.
 *  @param isFirst no tick has claimed anything yet */
export function ticksThatMeet(
  storage: MeetingWorld['storage'],
  aheads: readonly number[],
  isFirst: boolean,
): MeetingWorld {
  const name = `ticks: ${aheads.map(ahead => `+${ahead / 1000} s`).join(' and ')}${isFirst ? ', the first' : ''}, ${storage}`;
  return { name, storage, hasFault: true, meeting: place => meetingOf(place, aheads, isFirst) };
}

interface Claim {
  readonly by: Party;
  readonly from: number;
  readonly to: number;
}

interface Started {
  readonly by: Party;
  /** When its pass is due. */
  readonly at: number;
}

/** Each moment at which a pass is due is of one tick: the one whose claim has it. Unless that dies, it starts the pass, once. */
function meetingOf(place: Place, aheads: readonly number[], isFirst: boolean): Meeting {
  const claims: Claim[] = [];
  const started: Started[] = [];
  const parties = aheads.map((ahead): Party => {
    const party: Party = {
      name: 'tick',
      ahead,
      run: reaching => tick(reaching, at => started.push({ by: party, at })),
    };
    return party;
  });
  let claimed: number | undefined;
  return {
    parties,
    prepare: async ({ ports: { claims, snapshots } }) => {
      const lease = await leaseOf(snapshots, PROCESS, { until: BEGIN });
      await snapshots.finish(PROCESS, lease, {
        baselined: true,
        completedAt: BEGIN,
        sweepCompletedAt: BEGIN,
      });
      if (!isFirst) await claims.claim({ now: BEGIN - MINUTE_MS, to: BEGIN });
    },
    check: by => {
      const row = [...place.storage.items()].find(({ pk }) => pk?.S === TICK_KEY.pk.S);
      const to = row && Number(row.claimedThrough?.N);
      if (to === claimed) return;
      if (to === undefined || to < (claimed ?? 0))
        throw new Violation(6, `the claim until ${claimed} is undone`);
      if (by) claims.push({ by, from: claimed ?? BEGIN + (by.ahead ?? 0), to });
      claimed = to;
    },
    checkEnd: (_, struck) => {
      // One of two that meet may claim nothing: then the next tick does.
      if ((claimed ?? 0) < BEGIN + Math.min(...aheads) + MINUTE_MS)
        throw new Violation(1, 'the passes until the next tick are of no tick');
      for (const { by, at } of started)
        if (!claims.some(claim => claim.by === by && at > claim.from - STEP_MS && at <= claim.to))
          throw new Violation(6, `a tick starts the pass of ${at}, which it did not claim`);
      for (const claim of claims) {
        const fault = struck.get(claim.by);
        // A tick that does not know whether it has claimed finds its claim, unless another one has claimed since.
        checkStarted(claim, started, fault === 'repeated' ? claim.to !== claimed : fault !== undefined);
      }
    },
    state: () => [claims, started],
  };
}

/** @param mayMiss whether passes may be left out */
function checkStarted({ from, to }: Claim, started: readonly Started[], mayMiss: boolean): void {
  // Of several late ones, only the last is started.
  const begin = Math.max(from, to - MINUTE_MS - STEP_MS);
  const own = started.filter(({ at }) => at > begin && at <= to).map(({ at }) => at);
  const due = (to - begin) / STEP_MS;
  if ((!mayMiss && Math.abs(own.length - due) >= 1) || new Set(own).size < own.length)
    throw new Violation(6, `${own.length} passes start from ${from} to ${to}, which has ${due}`);
}

function tick({ life, ports, clock }: Reaching, starts: (at: number) => void): Promise<void> {
  const { claims, progress, workspaces: rows } = ports;
  const take = (body: string) => {
    const { mode, expiresAt } = passMessage.parse(JSON.parse(body));
    if (mode === 'changes') starts(Number(expiresAt) - STEP_MS);
  };
  const send: Queue['send'] = messages =>
    life.call(
      'queue.passes',
      () => {
        for (const { body } of messages) take(body);
        return { indexes: [] };
      },
      failingWith(() => new Error('the queue does not fail here')),
    );
  return createTick({
    ...{
      clock,
      count: () => {},
      jobs: async () => {},
      log: { info: () => {}, warn: () => {}, error: () => {} },
    },
    passes: { processes: [PROCESS], claims, progress, rows, queue: { send } },
    registry: { all: async () => [] },
    queues: { wake: async () => {} },
  })();
}
