import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sentSchemas } from '../../functions/model/event.ts';
import { Refusal, type SentEvent, verify } from '../../receiver/index.ts';
import { NOW, run, type Setting } from '../kit/cli/world.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { secretOf } from '../kit/receiver/requests.ts';

const SECRET = secretOf('one');
const [CREATED, UPDATED] = [exampleEvent('task.created'), exampleEvent('task.updated')];
const at = new Date(NOW).toISOString();

/** A server of a developer's, and the events that it accepted. It answers the first requests with `statuses`. */
async function server(...statuses: readonly number[]) {
  const left = [...statuses];
  const accepted: (SentEvent | undefined)[] = [];
  const { url } = await listenInTest(
    createServer(async (request, response) => {
      const event = await verify(request, SECRET).catch((error: unknown) => error as Refusal);
      const status = event instanceof Refusal ? event.status : (left.shift() ?? 204);
      if (status === 204) accepted.push(event as SentEvent);
      response.writeHead(status).end('hush');
    }),
  );
  return { url, accepted };
}

/** A journal with these events; the command is interrupted when it reads on. */
function journal(...events: readonly SentEvent[]): Setting & { readonly slept: number[] } {
  const ending = new AbortController();
  const slept: number[] = [];
  let isRead = false;
  const page = (some: readonly SentEvent[]) => ({
    ...{ at, readTo: at },
    events: some.map(event => ({ committedAt: at, event })),
  });
  return {
    slept,
    env: { WEBHOOK_SECRET: SECRET },
    interrupted: ending.signal,
    answers: {
      events: ({ limit }: { limit: number }) => {
        if (limit === 1) return page([]);
        if (isRead) ending.abort();
        isRead = true;
        return page(ending.signal.aborted ? [] : events);
      },
    },
    sleep: async ms => void slept.push(ms),
  };
}

const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { id: string; status?: number; failure?: string });

describe('listen', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('posts each event that matches, signed, and prints the answers', async () => {
    const { url, accepted } = await server();
    const args = ['listen', '--forward-to', url, '--filter', 'events=task.updated'];
    const { code, out, err, asked } = await run(args, journal(CREATED, UPDATED));
    expect(code).toBe(0);
    expect(accepted).toEqual([UPDATED]);
    expect(out).toBe(`answered 204 in 0 ms  task.updated  ${UPDATED.subject}  ${UPDATED.id}\n`);
    expect(err).toBe(`Forwarding events to ${new URL(url).origin}. Press Ctrl-C to end.\n`);
    expect(asked.map(({ operation }) => operation)).not.toContain('add-endpoint');
  });

  it('sends an event again that the server refused, and goes on when it keeps refusing', async () => {
    const { url, accepted } = await server(500, 204, 500, 500, 500);
    const setting = journal(CREATED, UPDATED, { ...UPDATED, id: 'last' });
    const { code, out } = await run(['listen', '--forward-to', url, '--json'], setting);
    expect(code).toBe(0);
    expect(lines(out).map(({ id, status }) => [id, status])).toEqual([
      [CREATED.id, 500],
      [CREATED.id, 204],
      ...Array(3).fill([UPDATED.id, 500]),
      ['last', 204],
    ]);
    expect(accepted.map(event => event?.id)).toEqual([CREATED.id, 'last']);
    expect(setting.slept.slice(0, 3)).toEqual([1_000, 1_000, 3_000]);
  });

  it('begins at a time', async () => {
    const { url } = await server();
    const { asked } = await run(['listen', '--forward-to', url, '--since', '1h'], journal());
    expect(asked[0]).toMatchObject({ since: new Date(NOW - 3_600_000).toISOString() });
  });

  it('posts an example of each type without a run, and fails unless all are accepted', async () => {
    const { url, accepted } = await server();
    const env = { WEBHOOK_SECRET: `${SECRET}, ${secretOf('old')}` };
    const all = await run(['listen', '--forward-to', url, '--example'], { env });
    expect(all).toMatchObject({ code: 0, places: [] });
    expect(accepted.map(event => event?.type)).toEqual(Object.keys(sentSchemas));
    const other = ['--example', 'task.updated', '--secret', secretOf('two')];
    const wrong = await run(['listen', '--forward-to', url, ...other]);
    expect(wrong).toMatchObject({ code: 1, places: [] });
    expect(wrong.out).toMatch(/^(answered 401: hush in 0 ms {2}task\.updated .*\n){3}$/);
  });

  it('generates a secret where none is given, and prints it', async () => {
    const { err } = await run(['listen', '--forward-to', (await server()).url], { ...journal(), env: {} });
    expect(err).toMatch(/^Signing secret: whsec_[\w+/]{43}= \(set WEBHOOK_SECRET/);
  });

  it.each([
    ['--forward-to http://10.0.0.1/', '--forward-to takes an https URL, or an http URL of this machine.'],
    ['', "required option '--forward-to <url>' not specified"],
    ['--forward-to http://localhost:1/ --example task.updatd', 'Did you mean task.updated?'],
    ['--forward-to http://localhost:1/ --example --since 1h', '--example cannot be combined with'],
    ['--forward-to http://localhost:1/ --secret hush', 'The signing secret takes whsec_'],
    ['--forward-to http://localhost:1/ --filter evnts=x', 'Did you mean events?'],
  ])('refuses "%s"', async (args, message) => {
    const { code, err, places } = await run(['listen', ...args.split(' ').filter(Boolean)]);
    expect({ code, places }).toEqual({ code: 2, places: [] });
    expect(err).toContain(message);
    expect(err).not.toContain('hush');
  });
});
