import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { EMPTY_WORKSPACE, type WorkspaceRow } from '../../../functions/model/workspace-row.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { Coverage } from '../faults.ts';
import { SharesOracle } from './shares.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const PAUSE = { until: AT + MINUTE, since: AT, reason: 'no answer', failures: 1 };

/** An oracle of a workspace that allows so many requests at once. */
function oracleOf(ceiling: number, isStrict = true) {
  // The clocks of the runs are `back` behind.
  const time = { now: AT, back: 0 };
  const coverage = new Coverage();
  const oracle = new SharesOracle(coverage, { ceiling, isStrict, wall: () => time.now });
  let row: WorkspaceRow = EMPTY_WORKSPACE;
  const write = (change: Partial<WorkspaceRow>, by?: string) => {
    row = { ...row, ...change };
    const keys = { pk: { S: 'WORKSPACES' }, sk: { S: 'eu' } };
    const record = { dynamodb: { Keys: keys, NewImage: { row: { S: JSON.stringify(row) } } } };
    oracle.wrote([record as DynamoDBRecord], by);
  };
  const begin = (name: string, more: Partial<PassMessage> = {}) => {
    const message: PassMessage = {
      ...{ workspace: 'eu', processes: ['p'], mode: 'changes', expiresAt: AT },
      ...more,
    };
    oracle.begins(name, { message, clock: () => time.now - time.back, connection: {} });
  };
  const take = (name: string, count: number, more: Partial<PassMessage> = {}) => {
    begin(name, more);
    const share = { count, until: time.now + MINUTE, isBulk: more.mode === 'sweep' };
    write({ shares: { ...row.shares, [name]: share } }, name);
  };
  const give = (name: string, change: Partial<WorkspaceRow> = {}) => {
    const { [name]: _, ...shares } = row.shares;
    write({ shares, ...change }, name);
  };
  return { oracle, coverage, time, write, begin, take, give };
}

describe('what is judged of runs that share a workspace', () => {
  it('lets them make no more requests at once than it allows, without those of runs that died', () => {
    const { oracle, take } = oracleOf(2);
    take('one', 1);
    take('other', 1);
    const over = oracle.asks('one', 'other');
    oracle.asks('other', 'other');
    oracle.asks('one', 'token');
    expect(() => oracle.asks('one', 'other')).toThrow('3 requests are under way');
    over();
    oracle.died('one');
    oracle.asks('other', 'other');
  });

  it('lets the shares in force be no more than the workspace allows', () => {
    const { time, take } = oracleOf(2);
    take('one', 2);
    time.now += MINUTE;
    take('other', 2);
    expect(() => take('third', 1)).toThrow('the shares of a workspace that allows 2 are 3');
  });

  it('lets no run ask anything without a share, or keep it when it has ended', () => {
    const { oracle, begin, take, give } = oracleOf(2);
    begin('one');
    expect(() => oracle.asks('one', 'other')).toThrow('without a share');
    take('other', 1);
    expect(() => oracle.ended('other', true, true)).toThrow('kept its share');
    take('third', 1);
    give('third');
    oracle.ended('third', true, true);
  });

  it('says how many requests at once are free: a sweep leaves a quarter to changes passes', () => {
    const { oracle, take } = oracleOf(8);
    expect([oracle.free(AT, false), oracle.free(AT, true)]).toEqual([8, 6]);
    take('one', 4, { mode: 'sweep' });
    expect([oracle.free(AT, false), oracle.free(AT, true)]).toEqual([4, 2]);
    expect(oracle.free(AT + MINUTE, false)).toBe(8);
  });

  it('lets no run begin before a pause is over, unless an operator asked for its pass', () => {
    const { write, take } = oracleOf(4);
    write({ pause: PAUSE });
    take('asked', 1, { isAsked: true });
    expect(() => take('one', 1)).toThrow('before the pause of its workspace is over');
  });

  it('judges by the time in its share a run that began while a clock was set', () => {
    const { oracle, time, write, begin, take } = oracleOf(4);
    write({ pause: PAUSE });
    time.now = PAUSE.until;
    time.back = MINUTE;
    oracle.forget();
    take('one', 1);
    begin('other');
    const share = { count: 1, until: time.now - time.back + MINUTE, isBulk: false };
    expect(() => write({ shares: { other: share } }, 'other')).toThrow('60000 ms before the pause');
    time.now += 6_000;
    expect(() => take('third', 1)).toThrow('54000 ms before the pause');
  });

  it('lets one run at a time ask whether the service answers again, and nothing else until it does', () => {
    const { oracle, time, write, take } = oracleOf(4);
    write({ pause: PAUSE });
    time.now = PAUSE.until;
    take('one', 1);
    expect(() => take('other', 1)).toThrow('two runs at once ask whether');
    const over = oracle.asks('one', 'probe');
    expect(() => oracle.asks('one', 'other')).toThrow('more than whether it answers');
    over(200);
    oracle.asks('one', 'other');
  });

  it('has the pause end with the answer, or with a new failure', () => {
    const { oracle, time, write, take, give } = oracleOf(4);
    write({ pause: PAUSE });
    time.now = PAUSE.until;
    take('one', 1);
    oracle.asks('one', 'probe')(200);
    give('one');
    expect(() => oracle.ended('one', true, true)).toThrow('stays paused');
    time.now += MINUTE;
    take('other', 1);
    oracle.asks('other', 'probe')(200);
    give('other', { pause: undefined });
    oracle.ended('other', true, true);
  });

  it('lets no pause be longer than ten minutes', () => {
    const { write, begin } = oracleOf(4);
    begin('one');
    expect(() => write({ pause: { ...PAUSE, until: AT + 11 * MINUTE } }, 'one')).toThrow('is paused for');
  });

  it('lets ticks start no more in a paused workspace than what asks, and what tells of silence', () => {
    const { oracle, time, write } = oracleOf(4);
    const message: PassMessage = { workspace: 'eu', processes: ['p'], mode: 'changes', expiresAt: AT };
    const tick = { struck: 0 };
    write({ pause: PAUSE });
    oracle.sent({ ...message, mode: 'sweep' }, tick);
    time.now += 2 * MINUTE;
    expect(() => oracle.sent({ ...message, mode: 'sweep' }, { struck: 0 })).toThrow('a sweep is started');
    oracle.sent(message, tick);
    oracle.sent(message, tick);
    oracle.sent({ ...message, processes: ['o'] }, tick);
    expect(() => oracle.sent({ ...message, processes: ['q'] }, tick)).toThrow('a tick sends 3 messages');
    oracle.sent({ ...message, processes: ['q'] }, { struck: 1 });
  });
});
