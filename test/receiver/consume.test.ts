import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Refused } from '../../functions/operations/refused.ts';
import { type ConsumeOptions, consume } from '../../receiver/index.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { served } from '../kit/local/served.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

/** A run whose pull endpoint has these batches of events, and a consumer of it. */
async function opened(batches: readonly (readonly string[])[], more: Partial<ConsumeOptions> = {}) {
  const left = batches.values();
  const ending = new AbortController();
  const { server, asked } = await served(request => {
    if (!('operation' in request) || request.operation !== 'take') return { ended: 1, late: 0 };
    const { value = [], done } = left.next();
    if (done) ending.abort();
    return { events: value.map(id => ({ event: { id }, receipt: `receipt ${id}` })) };
  });
  const data = temporaryDirectory();
  const address = (token = server.token) =>
    writeFileSync(join(data, 'operate.json'), JSON.stringify({ url: server.url, token }));
  address();
  const events = consume({ endpoint: 'crm', from: { data }, signal: ending.signal, ...more });
  const requests = () => asked.map(({ request }) => request as { operation: string; receipts?: string[] });
  /** What became of the events, in order. */
  const ended = () =>
    requests().flatMap(({ operation, receipts = [] }) => receipts.map(receipt => `${operation} ${receipt}`));
  return { events, requests, ended, address, ending };
}

describe('a consumer', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers().restoreAllMocks());

  it('has each event acknowledged once it asks for one of the next batch, until its signal ends it', async () => {
    const { events, requests, ended } = await opened([['a', 'b'], ['c']], { limit: 2, lease: 7 });
    const seen: [string, number][] = [];
    for await (const { id } of events) seen.push([id, ended().length]);
    expect(seen).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 2],
    ]);
    expect(requests()[0]).toEqual({ operation: 'take', endpoint: 'crm', limit: 2, lease: 7 });
    expect(ended()).toEqual(['ack receipt a', 'ack receipt b', 'ack receipt c']);
  });

  it.each(['break', 'error'])('that ends by %s returns its event and those after it', async how => {
    const { events, ended } = await opened([['a', 'b', 'c']]);
    const process = async () => {
      for await (const { id } of events) {
        if (id !== 'b') continue;
        if (how === 'break') break;
        throw new Error('no room');
      }
    };
    await (how === 'break' ? process() : expect(process()).rejects.toThrow('no room'));
    expect(ended()).toEqual(['ack receipt a', 'nack receipt b', 'nack receipt c']);
  });

  it('whose signal ends it during an event has that one acknowledged, and returns the others', async () => {
    const { events, ended, ending } = await opened([['a', 'b']]);
    for await (const _ of events) ending.abort();
    expect(ended()).toEqual(['ack receipt a', 'nack receipt b']);
  });

  it.each([
    [60, 55_000, 'ack'],
    [60, 55_001, 'nack'],
    [4, 2_000, 'ack'],
    [4, 2_001, 'nack'],
  ])('with a lease of %i s has the second event after %i ms as: %s', async (lease, ms, second) => {
    const { events, ended } = await opened([['a', 'b']], { lease });
    for await (const { id } of events) if (id === 'a') vi.setSystemTime(Date.now() + ms);
    expect(ended()).toEqual(['ack receipt a', `${second} receipt b`]);
  });

  it('rests before it asks an empty queue again', async () => {
    const { events, requests, ending } = await opened(Array(100).fill([]));
    const other = await opened([['a', 'b', 'c', 'd', 'e', 'f']], { limit: 1 });
    const next = events.next();
    await expect.poll(() => requests().length).toBeGreaterThan(0);
    // Another consumer has several answers in the meantime.
    for await (const _ of other.events);
    ending.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(requests().length).toBeLessThan(20);
  });

  it.each(['a warning', 'onError'])('repeats a request that got no answer, and says why by %s', async by => {
    const reported = vi.fn(() => consumer.address());
    if (by !== 'onError') vi.spyOn(process, 'emitWarning').mockImplementation(reported);
    const consumer = await opened([['a']], by === 'onError' ? { onError: reported } : {});
    consumer.address('another token');
    for await (const _ of consumer.events);
    const how = by === 'onError' ? expect.any(Error) : expect.stringMatching('endpoint crm from {"data":');
    expect(reported.mock.calls).toEqual([[how]]);
    expect(consumer.ended()).toEqual(['ack receipt a']);
  });

  it('that ends by an error where no answer comes gets that error', { timeout: 10_000 }, async () => {
    const errors: unknown[] = [];
    const consumer = await opened([['a', 'b', 'c']], { onError: error => errors.push(error) });
    const process = async () => {
      for await (const { id } of consumer.events) {
        if (id === 'a') continue;
        consumer.address('another token');
        throw new Error('no room');
      }
    };
    await expect(process()).rejects.toThrow('no room');
    expect(errors).toHaveLength(2);
  });

  it('ends at once by its signal where no answer comes', async () => {
    const consumer = await opened([], { onError: () => consumer.ending.abort() });
    consumer.address('another token');
    expect(await consumer.events.next()).toEqual({ done: true, value: undefined });
  });

  it('takes the events of a stack from its function, and tells when that fails', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'test');
    onTestFinished(() => void vi.unstubAllEnvs());
    const sent: string[] = [];
    const answers = [
      { events: [{ event: { id: 'a' }, receipt: 'of a' }] },
      { ended: 1, late: 0 },
      undefined,
    ].values();
    const { url } = await listenInTest(
      createServer(async (request, response) => {
        sent.push(`${request.url} ${await text(request)}`);
        const answer = answers.next().value;
        if (!answer) response.setHeader('X-Amz-Function-Error', 'Unhandled');
        response.end(JSON.stringify(answer ? { answer } : { errorMessage: 'no memory' }));
      }),
    );
    const ending = new AbortController();
    const errors: unknown[] = [];
    const onError = (error: unknown) => {
      errors.push(String(error));
      ending.abort();
    };
    const from = { stack: 'Changewire', region: 'eu-central-1', address: url };
    const events = consume({ endpoint: 'crm', from, signal: ending.signal, onError });
    const ids: string[] = [];
    for await (const { id } of events) ids.push(id);
    const path = '/2015-03-31/functions/Changewire-operate%3Apull/invocations';
    const take = `${path} {"request":{"operation":"take","endpoint":"crm","limit":10,"lease":60}}`;
    const ack = `${path} {"request":{"operation":"ack","endpoint":"crm","receipts":["of a"]}}`;
    expect([ids, sent]).toEqual([['a'], [take, ack, take]]);
    const failed = 'The function Changewire-operate:pull failed: {"errorMessage":"no memory"}';
    expect(errors).toEqual([`Error: ${failed}`]);
  });

  it('connects again after an error, unless no repetition cures it', { timeout: 10_000 }, async () => {
    const final = [
      { code: 'ERR_MODULE_NOT_FOUND' },
      { name: 'AccessDeniedException' },
      { name: 'ResourceNotFoundException' },
    ].map(each => Object.assign(new Error('final'), each));
    const errors = [new Error('no memory'), ...final];
    const LambdaClient = function connect() {
      throw errors.shift();
    };
    vi.doMock('@aws-sdk/client-lambda', () => ({ InvokeCommand: class {}, LambdaClient }));
    onTestFinished(() => void vi.doUnmock('@aws-sdk/client-lambda'));
    const repeated: string[] = [];
    const onError = (error: unknown) => repeated.push(String(error));
    for (const error of final)
      await expect(consume({ endpoint: 'crm', from: { stack: 'One' }, onError }).next()).rejects.toBe(error);
    expect(repeated).toEqual(['Error: no memory']);
  });

  it('is told what is refused, which it does not repeat', async () => {
    const { server } = await served(() => {
      throw new Refused('There is no endpoint with this name.');
    });
    const data = temporaryDirectory();
    writeFileSync(join(data, 'operate.json'), JSON.stringify(server));
    const events = consume({ endpoint: 'crm', from: { data } });
    await expect(events.next()).rejects.toThrow('There is no endpoint with this name.');
  });
});
