import { describe, expect, it } from 'vitest';
import { heartbeatUrl, startHeartbeat } from '../../local/operate/heartbeat.ts';
import { withValuesOfStdin } from '../../local/settings/endpoint-options.ts';
import { parseOptions } from '../../local/settings/options.ts';
import { answer, receiver, reset } from '../kit/delivery/receiver.ts';

const MINUTE = 60_000;

/** A heartbeat whose minutes pass one by one. `beats`: whether all is well, for each. @returns its lines */
async function beat(url: string, beats: readonly boolean[], polledAt = 0) {
  const lines: string[] = [];
  const isOver = Promise.withResolvers<void>();
  let now = 0;
  let count = 0;
  const stop = startHeartbeat({
    ...{ url, networks: [], proxy: undefined, clock: () => now },
    isHealthy: async () => beats[count] ?? false,
    arePolled: () => now >= polledAt,
    sleep: async ms => {
      expect(ms).toBeLessThanOrEqual(MINUTE);
      now += ms;
      if (now <= polledAt || ++count < beats.length) return;
      isOver.resolve();
      await new Promise<void>(resolve => stopped.then(resolve));
    },
    warn: text => void lines.push(text),
  });
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  await isOver.promise;
  resolve();
  await stop();
  return { lines, minutes: now / MINUTE };
}

describe('a heartbeat', () => {
  it('is a GET each minute in which all is well, and none in others', async () => {
    const { url, received } = await receiver(answer(200));
    const { lines, minutes } = await beat(url, [true, true, false, false, true]);
    expect([lines, minutes]).toEqual([[], 5]);
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array.from({ length: 3 }, () => 'GET /hush?token=hush'),
    );
  });

  it('is sent only after the first pass: a run that each pass ends is not healthy', async () => {
    const { url, received } = await receiver(answer(200));
    expect(await beat(url, [true], 3000)).toMatchObject({ minutes: 1.05 });
    expect(received).toHaveLength(1);
  });

  it('that fails is sent once, and logged again only after one that succeeded, without its address', async () => {
    const { url, received } = await receiver(answer(500), reset, answer(404), answer(200), reset);
    const { lines } = await beat(url, [true, true, true, true, true]);
    expect(received).toHaveLength(5);
    expect(lines).toEqual([
      'The heartbeat failed: answered 500. It continues each minute.',
      expect.stringMatching(/^The heartbeat failed: no answer \(\w+\)\. It continues each minute\.$/),
    ]);
  });

  it('goes to the addresses that endpoints may have, of the option or the environment', () => {
    const variable = { HEARTBEAT_URL: 'https://monitor.example.com/hush' };
    expect(heartbeatUrl(undefined, variable, [])).toBeUndefined();
    expect(heartbeatUrl('', variable, [])).toBe(variable.HEARTBEAT_URL);
    expect(heartbeatUrl('http://10.0.0.7/hush', {}, ['10.0.0.0/24'])).toBe('http://10.0.0.7/hush');
    for (const [option, environment] of [
      ['http://10.0.0.7/hush', {}],
      ['https://user:hush@monitor.example.com/', {}],
      ['', { HEARTBEAT_URL: 'http://monitor.example.com.:0/hush' }],
      ['', {}],
    ] as const) {
      const url = () => heartbeatUrl(option, environment, []);
      expect(url).toThrow(/^(--heartbeat|HEARTBEAT_URL) /);
      expect(url).not.toThrow(/hush/);
    }
  });

  it('is an option whose address may come from stdin or the environment', async () => {
    const read = await withValuesOfStdin(['--heartbeat', '-'], async () => 'https://monitor.example.com/x\n');
    expect(parseOptions(read).heartbeat).toBe('https://monitor.example.com/x');
    expect(parseOptions(['--heartbeat']).heartbeat).toBe('');
    expect(() => parseOptions(['--once', '--heartbeat'])).toThrow(
      '--heartbeat and --once cannot be combined.',
    );
  });
});
