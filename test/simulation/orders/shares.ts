import type { WorkspaceSettings } from '../../../functions/config/workspace.ts';
import { type RunShare, takeShare } from '../../../functions/handlers/run-share.ts';
import { complete } from '../../../functions/handlers/workspace-run.ts';
import type { Completion } from '../../../functions/model/process-state.ts';
import { type WorkspaceRow, withPause } from '../../../functions/model/workspace-row.ts';
import type { Completions } from '../../../functions/store/store.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';

/** `changes`, `sweep`: a run that serves one process of the workspace. `failing`: one whose service asks for a pause; `down`: one whose
 *  service fails without a word of it. `time`: that after which shares are renewed passes at once. */
type Role = 'changes' | 'sweep' | 'failing' | 'down' | 'time';

type Shared = WorkspaceRow & { readonly completions: Completions };

const NAME = 'eu';
const CEILING = 3;
const RENEW_MS = 20_000;
const PAUSE_MS = 300_000;

/** Runs that share one workspace. */
export function shareWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  return (
    [
      ['changes', 'changes'],
      ['changes', 'sweep'],
      ['changes', 'failing'],
      ['failing', 'failing'],
      ['failing', 'down'],
      ['changes', 'sweep', 'time'],
    ] as const
  ).map(roles => runsThatShare(storage, roles));
}

export function runsThatShare(
  storage: MeetingWorld['storage'],
  roles: readonly Role[],
  hasFault = !roles.includes('time'),
): MeetingWorld {
  const name = `shares of a workspace: ${roles.join(' and ')}, ${storage}`;
  return { name, storage, hasFault, meeting: place => meetingOf(place, roles) };
}

/** No run undoes what another one wrote, and all together make no more requests than the workspace allows. */
function meetingOf(place: Place, roles: readonly Role[]): Meeting {
  const shares = new Map<Party, RunShare>();
  const processes = roles.map((_, index) => ({ id: `p${index}` }));
  const settings = { name: NAME, processes } as unknown as WorkspaceSettings;
  const parties = roles.map((role, index): Party => {
    const party: Party = {
      name: role,
      run: reaching =>
        role === 'time'
          ? pass(reaching, () => place.scheduler.freeze(RENEW_MS))
          : serve(reaching, role, `p${index}`),
    };
    const serve = async ({ ports: { workspaces: rows }, clock }: Reaching, role: Role, id: string) => {
      const request = {
        workspace: NAME,
        run: id,
        ceiling: CEILING,
        isBulk: role === 'sweep',
        isAsked: false,
      };
      const taken = await takeShare(rows, request, clock);
      if (taken.as !== 'taken') return;
      shares.set(party, taken.share);
      await complete(rows, settings, new Map([[id, () => completionAt(clock())]]), new Map());
      await taken.share.hold();
      const retryAfter = role === 'failing' ? PAUSE_MS : 0;
      const failed = { now: clock(), reason: 'down', retryAfter, isProbe: taken.isProbe };
      const isFailed = role === 'failing' || role === 'down';
      await taken.share.release(row => (isFailed ? withPause(row, failed) : row));
    };
    return party;
  });
  return {
    parties,
    check: () => {
      const sum = [...shares.values()].reduce((sum, { count }) => sum + count, 0);
      if (sum > CEILING)
        throw new Violation(12, `runs make ${sum} requests at once, the workspace allows ${CEILING}`);
    },
    checkEnd: async ({ ports: { workspaces } }, struck) => {
      const row = (await workspaces.all()).get(NAME);
      for (const [index, party] of parties.entries())
        if (row && shares.has(party) && struck.get(party) !== 'dies-before')
          checkServed(row, `p${index}`, party.name);
    },
    state: () => [...shares].map(([party, { count }]) => [parties.indexOf(party), count]),
  };
}

/** Checks that the run has left what it wrote. */
function checkServed({ completions, shares, pause }: Shared, id: string, role: string): void {
  if (!completions.has(id)) throw new Violation(5, `the completion of ${id} is undone`);
  if (shares[id]) throw new Violation(12, `the share of ${id} is not given back`);
  if (role === 'failing' && (pause?.until ?? 0) < BEGIN + PAUSE_MS)
    throw new Violation(12, `the pause is undone: ${JSON.stringify(pause)}`);
  if (pause && pause.failures !== 1) throw new Violation(12, `one failure counts as ${pause.failures}`);
}

function completionAt(completedAt: number): Completion {
  const sweep = { sweepCompletedAt: completedAt, isSweepUnfinished: false, sweepLeasedUntil: undefined };
  return { completedAt, pace: undefined, hold: undefined, released: false, skipped: 0, ...sweep };
}

function pass({ life }: Reaching, freeze: () => void): Promise<void> {
  return life.call('table.read', freeze, work => work(), 'time passes');
}
