import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Pace } from '../../../functions/model/process-state.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { Coverage } from '../faults.ts';
import { PassesOracle, type StartedRun } from './passes.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const [SECOND, MINUTE] = [1_000, 60_000];
const FIXED = { changes: { fastest: MINUTE, slowest: MINUTE }, sweep: 10 * MINUTE };
const ADAPTIVE = { changes: { fastest: 10 * SECOND, slowest: 5 * MINUTE }, sweep: 10 * MINUTE };

function messageUntil(expiresAt: number, more: Partial<PassMessage> = {}): PassMessage {
  return { workspace: 'eu', processId: 'p', mode: 'changes', expiresAt, ...more };
}

function runOf(message: PassMessage, at: number): StartedRun {
  const nothing = { projects: 0, records: 0 };
  return { message, began: at, at, isPass: false, requests: 0, isFree: () => true, written: nothing };
}

/** An oracle of a process that has its baseline, and this pace. */
function oracleOf(schedule: typeof FIXED, pace?: Pace) {
  const oracle = new PassesOracle(schedule, new Coverage(), () => 0);
  const write = (next: Pace | undefined, by?: string) => {
    const images = {
      STATE: { baselined: { BOOL: true } },
      'PASS#changes': next ? { pace: { S: JSON.stringify(next) } } : {},
    };
    const records = Object.entries(images).map(([sk, NewImage]) => {
      return { dynamodb: { Keys: { pk: { S: 'W#eu#P#p' }, sk: { S: sk } }, NewImage } } as DynamoDBRecord;
    });
    oracle.wrote(records, by);
  };
  write(pace);
  const begin = (message: PassMessage, at: number) => {
    oracle.sent(message, write, at);
    const run = runOf(message, at);
    oracle.begins(run, `run at ${at}`);
    oracle.read(run);
    return run;
  };
  return { oracle, write, begin };
}

describe('what is judged of passes and their messages', () => {
  it('lets no two ticks send one pass, but one tick again what may not have been taken', () => {
    const { oracle } = oracleOf(FIXED);
    const [tick, other] = [{}, {}];
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT + MINUTE), other, AT);
    expect(() => oracle.sent(messageUntil(AT), other, AT)).toThrow('sent by two ticks');
    oracle.forget(AT);
    oracle.sent(messageUntil(AT), tick, AT);
    oracle.sent(messageUntil(AT), other, AT + 2 * MINUTE);
  });

  it('lets no pass begin behind its expiry', () => {
    const { oracle, begin } = oracleOf(FIXED);
    oracle.asksForLease(begin(messageUntil(AT + 1), AT));
    expect(() => oracle.asksForLease(begin(messageUntil(AT), AT))).toThrow('behind its expiry');
  });

  it('lets two passes begin one right behind the other, but no third within the interval', () => {
    const { oracle, begin } = oracleOf(FIXED);
    oracle.asksForLease(begin(messageUntil(AT + MINUTE), AT + 59 * SECOND));
    oracle.asksForLease(begin(messageUntil(AT + 2 * MINUTE), AT + MINUTE));
    oracle.asksForLease(begin(messageUntil(AT + 2 * MINUTE), AT + MINUTE));
    oracle.asksForLease(begin(messageUntil(AT + 3 * MINUTE), AT + 2 * MINUTE));
    const fourth = begin(messageUntil(AT + 4 * MINUTE), AT + 90 * SECOND);
    expect(() => oracle.asksForLease(fourth)).toThrow('three changes passes began within');
  });

  it('lets a pass begin before it is due only where somebody asked for it', () => {
    const { oracle, begin } = oracleOf(ADAPTIVE, { wait: MINUTE, dueAt: AT + MINUTE });
    oracle.asksForLease(begin(messageUntil(AT + MINUTE, { isAsked: true }), AT));
    oracle.asksForLease(begin(messageUntil(AT + 2 * MINUTE), AT + 55 * SECOND));
    expect(() => oracle.asksForLease(begin(messageUntil(AT + MINUTE), AT))).toThrow('before it was due');
  });

  it.each([
    ['somebody asked for', messageUntil(AT + MINUTE, { isAsked: true }), AT, 'asked for was dropped'],
    ['was due', messageUntil(AT + 2 * MINUTE), AT + MINUTE, 'although it was due'],
    ['was a sweep', messageUntil(AT + MINUTE, { mode: 'sweep' }), AT, 'although it was due'],
  ])('lets nothing be dropped that %s', (_, message, at, problem) => {
    const { oracle, begin } = oracleOf(ADAPTIVE, { wait: MINUTE, dueAt: AT + MINUTE });
    expect(() => oracle.ended(begin(message, at), true, undefined)).toThrow(problem);
    oracle.ended(begin(message, at), false, undefined);
    oracle.ended(begin({ ...message, expiresAt: at }, at), true, undefined);
  });

  it('lets what is dropped ask the service nothing', () => {
    const { oracle, begin } = oracleOf(FIXED);
    const run = begin(messageUntil(AT), AT);
    run.requests = 1;
    expect(() => oracle.ended(run, false, undefined)).toThrow('asked 1 requests');
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
    const { oracle, begin, write } = oracleOf(ADAPTIVE, { wait: 10 * SECOND, dueAt: AT });
    const run = begin(messageUntil(AT + MINUTE), AT);
    oracle.asksForLease(run);
    oracle.read(run);
    Object.assign(run.written, written);
    const finish = () => write({ wait, dueAt: AT + wait }, `run at ${AT}`);
    if (problem) expect(finish).toThrow(problem);
    else finish();
  });

  it('takes for the pace before that which a run read first behind its lease, be it none', () => {
    const { oracle, write } = oracleOf(ADAPTIVE, undefined);
    const run = runOf(messageUntil(AT + MINUTE), AT);
    oracle.begins(run, 'a run');
    oracle.asksForLease(run);
    oracle.read(run);
    oracle.begins(runOf(messageUntil(AT + MINUTE), AT), 'another');
    write({ wait: ADAPTIVE.changes.fastest, dueAt: AT }, 'another');
    oracle.read(run);
    write({ wait: ADAPTIVE.changes.fastest, dueAt: AT + SECOND }, 'a run');
  });

  it('lets a pass that did not hear what became of its commit wait longer', () => {
    const { oracle, write } = oracleOf(ADAPTIVE, { wait: 10 * SECOND, dueAt: AT });
    const written = { projects: 1, records: 1 };
    const run = { ...runOf(messageUntil(AT + MINUTE), AT), isFree: () => false, written };
    oracle.begins(run, 'a run');
    oracle.asksForLease(run);
    oracle.read(run);
    write({ wait: 20 * SECOND, dueAt: AT }, 'a run');
  });
});
