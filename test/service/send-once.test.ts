import { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { sendOnce } from '../../functions/service/send-once.ts';
import { Controller } from '../simulation/http.ts';

const request = { origin: 'http://s', path: '/', method: 'GET', headers: {} } as const;
const limits = { timeout: 1_000, maxBodyBytes: 1_000, clock: () => 7 };

/** An agent that does with a request what `serve` says. */
function agentOf(serve: (controller: Controller, handler: Dispatcher.DispatchHandler) => void): Dispatcher {
  return new (class extends Dispatcher {
    override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      serve(new Controller(handler), handler);
      return true;
    }
  })();
}

const body = Buffer.from('{}');

test('a request whose time was over before it had a connection is not sent then', async () => {
  const late = Promise.withResolvers<Controller>();
  const agent = agentOf((controller, handler) => {
    setTimeout(() => {
      handler.onRequestStart?.(controller, {});
      late.resolve(controller);
    }, 50);
  });
  expect(await sendOnce(agent, request, { ...limits, timeout: 5 })).toMatchObject({
    why: 'time-out',
    during: 'headers',
  });
  expect((await late.promise).aborted).toBe(true);
});

test('what comes before the answer (1xx) is none', async () => {
  const agent = agentOf((controller, handler) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 103, { link: '</style.css>', 'retry-after': '9' });
    controller.answer({ status: 200, headers: { date: 'today' }, text: body });
  });
  expect(await sendOnce(agent, request, limits)).toEqual({
    ...{ status: 200, date: 'today', retryAfter: undefined, encoding: undefined, at: 7 },
    body,
  });
  const broken = agentOf((controller, handler) => {
    handler.onResponseStart?.(controller, 103, {});
    controller.fail(new Error('other side closed'));
  });
  expect(await sendOnce(broken, request, limits)).toMatchObject({ during: 'headers', status: undefined });
});

test('an answer that has no content needs no content-encoding', async () => {
  const agent = agentOf((controller, handler) => {
    handler.onRequestStart?.(controller, {});
    handler.onResponseStart?.(controller, 204, { 'content-encoding': 'gzip' });
    handler.onResponseEnd?.(controller, {});
  });
  expect(await sendOnce(agent, request, limits)).toMatchObject({ status: 204, body: Buffer.alloc(0) });
});

test.each<[string, (controller: Controller, handler: Dispatcher.DispatchHandler) => void]>([
  ['an end without an answer', (controller, handler) => handler.onResponseEnd?.(controller, {})],
  [
    'a request that the agent refuses to take',
    () => {
      throw Object.assign(new Error('the token is in here'), { code: 'UND_ERR_DESTROYED' });
    },
  ],
])('%s is a failure, never a rejection', async (_title, serve) => {
  const failure = await sendOnce(agentOf(serve), request, limits);
  expect(failure).toMatchObject({ why: 'network', during: 'headers', status: undefined });
  expect(JSON.stringify(failure)).not.toContain('token');
});
