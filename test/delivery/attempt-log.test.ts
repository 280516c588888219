import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { attemptOf, attemptsOf, keepAttempts } from '../../functions/delivery/attempt-log.ts';
import { outcomeOf } from '../../functions/delivery/http/outcome.ts';
import type { Answer, NoAnswer } from '../../functions/delivery/http/post.ts';
import type { Attempt } from '../../functions/model/delivery.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import {
  AT,
  answered,
  endpointOf,
  messageOf,
  openSetting,
  SECRET,
  someEvents,
  TABLE_DOWN,
  writes,
} from '../kit/delivery/setting.ts';

const events = someEvents(2) as [ChangeEvent, ChangeEvent];
const sent = events.map(event => ({ event, at: AT }));
const secret = { url: 'https://crm.example/hook/T0ABCDEFGH?sig=Zm9vYmFyYmF6', secrets: [SECRET] };
const record = (index: number) => messageOf(`m${index}`, JSON.stringify(events[index]));

function open(keepSuccesses?: boolean) {
  const setting = openSetting();
  const attempts: Attempt[] = [];
  const add = (answer: Answer | NoAnswer, began = AT, all = sent.slice(0, 1)) => {
    const made = { began, ended: setting.state.now, answer, outcome: outcomeOf(answer, secret), secret };
    const attempt = attemptOf('crm', all, made);
    attempts.push(attempt);
    return attempt;
  };
  const keep = () => keepAttempts({ name: 'crm', keepSuccesses }, attempts, setting.dependencies);
  return { ...setting, keep, add, kept: () => setting.deliveries.attempts('crm', 99) };
}

describe('the log of attempts', () => {
  it('keeps when, what, what came back and how long that took', async () => {
    const { add, keep, kept, state } = open();
    state.now += 250;
    add(answered(200, { body: 'ok\n' }));
    add(answered(500), AT + 50);
    add({ why: 'no answer within 15 s' }, AT + 100, sent);
    await keep();
    const all = events.map(({ id }) => ({ id, type: 'task.updated' }));
    const told = { endpoint: 'crm', origin: 'https://crm.example', events: all.slice(0, 1) };
    expect(await kept()).toEqual([
      { ...told, at: AT + 100, events: all, failure: 'no answer within 15 s', took: 150 },
      { ...told, at: AT + 50, status: 500, failure: 'answered 500', took: 200 },
      { ...told, at: AT, status: 200, took: 250, answer: 'ok' },
    ]);
  });

  it('keeps harmless headers of failures alone', async () => {
    const { add, keep, kept } = open();
    const server = `nginx\u001b[2J${'x'.repeat(300)}`;
    const headers = { server, 'x-request-id': secret.url, 'cf-ray': '7d' };
    add(answered(200, { headers }));
    add(answered(500, { headers }), AT + 1);
    await keep();
    const [failed, delivered] = await kept();
    expect(failed?.headers).toEqual({ server: expect.stringMatching(/^nginx \[2Jx{190,}$/), 'cf-ray': '7d' });
    expect(failed?.headers?.server?.length).toBeLessThanOrEqual(200);
    expect(delivered).not.toHaveProperty('headers');
  });

  it('keeps no answer of an attempt in several rows: it may quote a project whose events are in another', () => {
    const answer = answered(200, { body: 'ok' });
    const made = { began: AT, ended: AT, answer, outcome: outcomeOf(answer, secret), secret };
    const rowsOf = (count: number) =>
      attemptsOf('chat', Array(count).fill(sent[0]), made).map(row => [row.events.length, row.answer]);
    expect(rowsOf(500)).toEqual([[500, 'ok']]);
    expect(rowsOf(501)).toEqual([500, 1].map(events => [events, undefined]));
  });

  it('leaves out successes where the operator wants that, and failures never', async () => {
    const { add, keep, kept } = open(false);
    add(answered(200));
    add(answered(404), AT + 1);
    await keep();
    expect((await kept()).map(({ status }) => status)).toEqual([404]);
  });

  it.each([
    ['has no room', new ProvisionedThroughputExceededException({ $metadata: {}, message: 'slow down' })],
    ['is down', TABLE_DOWN],
  ])('delays and changes no delivery when the table %s: that is said once', async (_, error) => {
    const { deliver, faults, posts, said, counts, kept, slept } = open();
    let tries = 0;
    faults.before = command => {
      if (!writes(command, 'ATTEMPT#')) return undefined;
      tries += 1;
      return error;
    };
    expect(await deliver([record(0), record(1)], endpointOf())).toEqual([]);
    expect([posts.length, counts, slept]).toEqual([2, { Delivered: 2 }, []]);
    expect(await kept()).toEqual([]);
    expect(tries).toBe(2);
    const about = { endpoint: 'crm', attempts: 2, error: String(error) };
    const details = { code: 'delivery.attempts-not-saved', ...about };
    expect(said).toEqual([
      { level: 'warn', message: expect.stringContaining('Could not save attempts'), details },
    ]);
  });

  it('writes nothing where nothing was tried', async () => {
    const { dependencies, said } = open();
    const deliveries = { note: () => Promise.reject(TABLE_DOWN) };
    await keepAttempts({ name: 'crm' }, [], { ...dependencies, deliveries });
    expect(said).toEqual([]);
  });
});
