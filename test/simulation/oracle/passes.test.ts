import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { PollReport } from '../../../functions/handlers/workspace-run.ts';
import type { Completion, Pace } from '../../../functions/model/process-state.ts';
import type { PassReport } from '../../../functions/pass/run-pass.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { Coverage } from '../faults.ts';
import { PassesOracle, type StartedPass, type StartedRun, startedPass } from './passes.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const [SECOND, MINUTE] = [1_000, 60_000];
const FIXED = { changes: { fastest: MINUTE, slowest: MINUTE }, sweep: 10 * MINUTE };
const ADAPTIVE = { changes: { fastest: 10 * SECOND, slowest: 5 * MINUTE }, sweep: 10 * MINUTE };

function messageUntil(expiresAt: number, more: Partial<PassMessage> = {}): PassMessage {
  return { workspace: 'eu', processes: ['p'], mode: 'changes', expiresAt, ...more };
}

function runOf(message: PassMessage, at: number): StartedRun {
  return {
    ...{ message, began: at, at, clock: () => at, isFree: () => true, isEnded: false, isProbe: false },
    passes: new Map(message.processes.map(id => [id, startedPass()])),
    ...{ noted: new Set(), left: new Map(), notes: 0 },
  };
}

function passOf(run: StartedRun): StartedPass {
  return run.passes.get('p') as StartedPass;
}

const REPORT = { mode: 'changes', projects: 0, commits: 0, events: 0 } as const;

function polled(report: Partial<PassReport> | Error): PollReport {
  const one =
    report instanceof Error
      ? { error: report }
      : { report: { ...REPORT, outcome: 'completed' as const, ...report } };
  return { outcome: 'polled', processes: new Map([['p', one]]) };
}

const NOT_DUE = polled({ outcome: 'not-due' });

function recordOf(pk: string, sk: string, NewImage: object): DynamoDBRecord {
  return { dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } }, NewImage } } as DynamoDBRecord;
}

/** An oracle of a process that has its baseline, and this pace. */
function oracleOf(schedule: typeof FIXED, pace?: Pace) {
  const oracle = new PassesOracle(schedule, new Coverage(), () => 0);
  const write = (next: Pace | undefined, by?: string, more: object = {}) => {
    const images = {
      STATE: { baselined: { BOOL: true } },
      'PASS#changes': { ...(next && { pace: { S: JSON.stringify(next) } }), ...more },
    };
    oracle.wrote(
      Object.entries(images).map(([sk, image]) => recordOf('W#eu#P#p', sk, image)),
      by,
    );
  };
  const note = (completions: Record<string, Partial<Completion>>, by?: string) =>
    oracle.wrote([recordOf('WORKSPACES', 'eu#0', { completions: { S: JSON.stringify(completions) } })], by);
  const sweep = (sweptAt: number) =>
    oracle.wrote(
      [recordOf('W#eu#P#p', 'PASS#sweep', { sweepCompletedAt: { N: String(sweptAt) } })],
      undefined,
    );
  write(pace);
  const begin = (message: PassMessage, at: number) => {
    oracle.sent(message, write, at);
    const run = runOf(message, at);
    oracle.begins(run, `run at ${at}`);
    oracle.readCompletions(run);
    oracle.read(run, 'p');
    return run;
  };
  const asks = (run: StartedRun) => oracle.asksService(run, 'p', 1);
  return { oracle, write, note, sweep, begin, asks };
}

describe('what is judged of passes and their messages', () => {
  it('lets no two ticks send one pass, but one tick again what may not have been taken', () => {
    const { oracle } = oracleOf(FIXED);
    const [tick, other] = [{}, {}];
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT + MINUTE), other, AT);
    oracle.sent(messageUntil(AT, { processes: ['another'] }), other, AT);
    expect(() => oracle.sent(messageUntil(AT, { processes: ['o', 'p'] }), other, AT)).toThrow(
      'sent by two ticks',
    );
    oracle.forget(AT);
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT), other, AT + 2 * MINUTE);
  });

  it('lets no pass begin behind its expiry', () => {
    const { begin, asks } = oracleOf(FIXED);
    asks(begin(messageUntil(AT + 1), AT));
    expect(() => asks(begin(messageUntil(AT), AT))).toThrow('after its expiry');
  });

  it('lets a run ask about the processes of its message alone', () => {
    const { oracle, begin } = oracleOf(FIXED);
    const run = begin(messageUntil(AT + MINUTE), AT);
    expect(() => oracle.asksService(run, 'another', 1)).toThrow('which its message does not name');
  });

  it('lets two passes begin one right behind the other, but no third within the interval', () => {
    const { begin, asks } = oracleOf(FIXED);
    asks(begin(messageUntil(AT + MINUTE), AT + 59 * SECOND));
    asks(begin(messageUntil(AT + 2 * MINUTE), AT + MINUTE));
    asks(begin(messageUntil(AT + 2 * MINUTE), AT + MINUTE));
    asks(begin(messageUntil(AT + 3 * MINUTE), AT + 2 * MINUTE));
    const fourth = begin(messageUntil(AT + 4 * MINUTE), AT + 90 * SECOND);
    expect(() => asks(fourth)).toThrow('three changes passes began within');
  });

  it('lets a pass begin before it is due only where somebody asked for it', () => {
    const { begin, asks } = oracleOf(ADAPTIVE, { wait: MINUTE, dueAt: AT + MINUTE });
    asks(begin(messageUntil(AT + MINUTE, { isAsked: true }), AT));
    asks(begin(messageUntil(AT + 2 * MINUTE), AT + 55 * SECOND));
    expect(() => asks(begin(messageUntil(AT + MINUTE), AT))).toThrow('before it was due');
  });

  it('takes the pace of the last idle pass where that came later than any other', () => {
    const { write, note, begin, asks } = oracleOf(ADAPTIVE);
    write({ wait: MINUTE, dueAt: AT }, undefined, { completedAt: { N: String(AT - MINUTE) } });
    note({ p: { completedAt: AT, pace: { wait: 2 * MINUTE, dueAt: AT + 2 * MINUTE } } });
    expect(() => asks(begin(messageUntil(AT + 5 * MINUTE), AT + MINUTE))).toThrow('before it was due');
    note({ p: { completedAt: AT - 2 * MINUTE, pace: { wait: 2 * MINUTE, dueAt: AT + 2 * MINUTE } } });
    asks(begin(messageUntil(AT + 5 * MINUTE), AT + MINUTE));
  });

  it('lets no sweep begin that was completed since it was due', () => {
    const { sweep, begin, asks } = oracleOf(FIXED);
    sweep(AT);
    asks(begin(messageUntil(AT + 5 * MINUTE, { mode: 'sweep', dueAt: AT + 1 }), AT + MINUTE));
    const late = begin(messageUntil(AT + 5 * MINUTE, { mode: 'sweep', dueAt: AT }), AT + MINUTE);
    expect(() => asks(late)).toThrow('a sweep began that was completed');
  });

  it.each([
    ['somebody asked for', messageUntil(AT + MINUTE, { isAsked: true }), AT, 'asked for was dropped'],
    ['was due', messageUntil(AT + 2 * MINUTE), AT + MINUTE, 'although it was due'],
    ['was a sweep', messageUntil(AT + MINUTE, { mode: 'sweep' }), AT, 'although it was due'],
  ])('lets nothing be dropped that %s', (_, message, at, problem) => {
    const { oracle, begin } = oracleOf(ADAPTIVE, { wait: MINUTE, dueAt: AT + MINUTE });
    expect(() => oracle.ended(begin(message, at), true, NOT_DUE)).toThrow(problem);
    oracle.ended(begin(message, at), false, NOT_DUE);
    const expired = { outcome: 'expired', processes: new Map() } as const;
    oracle.ended(begin({ ...message, expiresAt: at }, at), true, expired);
    expect(() => oracle.ended(begin(message, at), true, expired)).toThrow('before its expiry');
  });

  it('lets what is dropped ask the service nothing', () => {
    const { oracle, begin, asks } = oracleOf(FIXED);
    const run = begin(messageUntil(AT + MINUTE), AT);
    asks(run);
    expect(() => oracle.ended(run, false, { outcome: 'full', processes: new Map() })).toThrow('began a pass');
  });

  it('lets an idle pass write no row of its process, and be noted once', () => {
    const { oracle, write, note, begin, asks } = oracleOf(FIXED);
    const idle = { completedAt: AT + 1 } as Completion;
    const run = begin(messageUntil(AT + MINUTE), AT);
    asks(run);
    expect(() => oracle.ended(run, true, polled({ idle }))).toThrow('nobody noted');
    note({ p: idle }, `run at ${AT}`);
    oracle.ended(run, true, polled({ idle }));
    expect(() => oracle.ended(run, true, polled({}))).toThrow('noted that its pass of p was idle');
    expect(() => oracle.ended(run, true, polled(new Error('no answer')))).toThrow('was idle');
    write(undefined, `run at ${AT}`);
    expect(() => oracle.ended(run, true, polled({ idle }))).toThrow('an idle pass wrote 2 rows');
    note({ p: { completedAt: AT + 2 } }, `run at ${AT}`);
    expect(() => oracle.ended(run, true, polled({ idle }))).toThrow('wrote 2 times which');
  });

  it('lets a run leave a later idle pass as it is, which the next pass that finds something removes', () => {
    const { oracle, note, begin, asks } = oracleOf(FIXED);
    const [earlier, later] = [begin(messageUntil(AT + MINUTE), AT), begin(messageUntil(AT + MINUTE), AT + 1)];
    for (const run of [earlier, later]) asks(run);
    note({ p: { completedAt: AT + 3 } }, `run at ${AT + 1}`);
    note({ p: { completedAt: AT + 3 } }, `run at ${AT}`);
    note({});
    oracle.ended(earlier, true, polled({ idle: { completedAt: AT + 2 } as Completion }));
    expect(earlier.noted.size).toBe(0);
  });

  it('lets no run note a pass that it did not make, but that a stall was told since', () => {
    const { note, begin } = oracleOf(FIXED);
    note({ p: { completedAt: AT } });
    begin(messageUntil(AT + MINUTE), AT);
    note({ p: { completedAt: AT, stalled: { since: AT } } }, `run at ${AT}`);
    expect(() => note({ p: { completedAt: AT + 1 } }, `run at ${AT}`)).toThrow('that it did not make');
  });

  it('lets no pass take its lease for what it found when another one ended meanwhile', () => {
    const { oracle, write, begin, asks } = oracleOf(FIXED);
    const [one, other] = [AT, AT + 1].map(at => begin(messageUntil(AT + MINUTE), at)) as [
      StartedRun,
      StartedRun,
    ];
    const lease = (run: StartedRun) => {
      oracle.asksForLease(run, 'p');
      write(undefined, `run at ${run.at}`, { leaseOwner: { S: `run at ${run.at}` } });
    };
    asks(one);
    asks(other);
    lease(one);
    write(undefined, `run at ${AT}`, { endedBy: { S: `run at ${AT}` } });
    expect(() => lease(other)).toThrow('although another one ended meanwhile');
  });

  it.each([
    [{ projects: 0, records: 0 }, 20 * SECOND, undefined],
    [{ projects: 0, records: 0 }, 10 * SECOND, 'waits 10000 ms'],
    [{ projects: 1, records: 1 }, 10 * SECOND, undefined],
    [{ projects: 1, records: 1 }, 20 * SECOND, 'waits 20000 ms'],
    [{ projects: 1, records: 0 }, 10 * SECOND, undefined],
    [{ projects: 1, records: 0 }, 20 * SECOND, undefined],
    [{ projects: 0, records: 0 }, 5 * MINUTE, 'waits 300000 ms'],
  ])('has a pass that wrote %j wait %d ms behind one that waited 10 s: %s', (written, wait, problem) => {
    const { begin, asks, write } = oracleOf(ADAPTIVE, { wait: 10 * SECOND, dueAt: AT });
    const run = begin(messageUntil(AT + MINUTE), AT);
    asks(run);
    Object.assign(passOf(run).written, written);
    const finish = () => write({ wait, dueAt: AT + wait }, `run at ${AT}`);
    if (problem) expect(finish).toThrow(problem);
    else finish();
  });
});
