import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { flush } from '../../../local/basics/process.ts';
import { createOutput } from '../../../local/terminal/output.ts';

const event = { id: 'p.1.2.0', data: { text: 'two\nlines' } } as unknown as ChangeEvent;

function terminal(isTTY: boolean) {
  const stream = () =>
    Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream & PassThrough;
  const [stdout, stderr] = [stream(), stream()];
  return { stdout, stderr, read: () => [stdout, stderr].map(one => `${one.read() ?? ''}`) };
}

const format = (_: ChangeEvent, { colour }: { colour: boolean }) => `an event${colour ? ' in colour' : ''}`;

const clock = () => Date.UTC(2026, 10, 22);
const open = (
  at: Parameters<typeof createOutput>[0],
  more: Partial<Parameters<typeof createOutput>[1]> = {},
) => createOutput(at, { json: false, log: 'text', timeZone: 'UTC', format, noColour: true, clock, ...more });
const TIME = '2026-11-22T00:00:00.000Z';

describe('the output', () => {
  test('for programs is one JSON event a line on stdout, and all else on stderr', () => {
    const at = terminal(true);
    const output = open(at, { json: true });
    output.event(event);
    output.info('hello');
    output.log.warn('careful', { code: 'x', nothing: undefined, n: 1 });
    expect(at.read()).toEqual([`${JSON.stringify(event)}\n`, '00:00:00  hello\n00:00:00  careful (n: 1)\n']);
  });

  test.each([
    [true, false, 'an event in colour\n\u001B[2m00:00:00\u001B[0m  \u001B[33mcareful\u001B[0m\n'],
    [true, true, 'an event\n00:00:00  careful\n'],
    [false, false, 'an event\n00:00:00  careful\n'],
  ])('for people is on stdout, in colour on a terminal that wants it: %s %s', (isTTY, noColour, expected) => {
    const at = terminal(isTTY);
    const output = open(at, { noColour });
    output.event(event);
    output.warn('careful');
    output.log.info('chatter');
    expect(at.read()).toEqual([expected, '']);
  });

  test('in JSON is an object for each message, with time and level, whatever the details are called', () => {
    const at = terminal(true);
    const output = open(at, { json: true, log: 'json', noColour: false });
    output.event(event);
    output.info('two\n\nlines   in columns', { lines: 2 });
    output.warn('crm: answered 500', { endpoint: 'crm', level: 'none' });
    output.log.error('careful', { code: 'x', nothing: undefined });
    const [events, words] = at.read();
    expect(events).toBe(`${JSON.stringify(event)}\n`);
    expect((words as string).trimEnd().split('\n')).toEqual([
      `{"time":"${TIME}","level":"info","message":"two","lines":2}`,
      `{"time":"${TIME}","level":"warn","message":"crm: answered 500","endpoint":"crm"}`,
      `{"time":"${TIME}","level":"error","message":"careful","code":"x"}`,
    ]);
  });

  test('in JSON alone has the events among its lines, on stdout', () => {
    const at = terminal(true);
    const output = open(at, { log: 'json', noColour: false });
    output.event(event);
    output.info('hello');
    const [words, nothing] = at.read();
    const lines = (words as string).trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual([
      { time: TIME, level: 'info', message: 'Event published.', code: 'event.published', event },
      { time: TIME, level: 'info', message: 'hello' },
    ]);
    expect(nothing).toBe('');
  });

  test('for people shows control characters and line ends of foreign texts as escapes', () => {
    const hostile = 'x\u001B[2J\u0007\u009B\0\u202E\r\nforged';
    const shown = 'x\\u001b[2J\\u0007\\u009b\\u0000\\u202e\\r\\nforged';
    const at = terminal(true);
    const output = open(at);
    output.warn(hostile);
    output.log.error('failed', { projectId: hostile, list: ['\u009B'], [hostile]: 1 });
    output.info(`two\n  lines\u001B[2J`);
    expect(at.read()[0]?.split('\n')).toEqual([
      `00:00:00  ${shown}`,
      `00:00:00  failed (projectId: ${shown}, list: ["\\u009b"], ${shown}: 1)`,
      '00:00:00  two',
      '            lines\\u001b[2J',
      '',
    ]);
  });

  test.each([
    [true, false, 'text', true],
    [false, false, 'text', false],
    [false, true, 'text', true],
    [true, true, 'text', false],
    [true, false, 'json', false],
  ] as const)(
    'with stdout a terminal: %s, --json: %s and a log of %s says whether a person reads it now: %s',
    (isTTY, json, log, expected) => {
      const [{ stdout }, { stderr }] = [terminal(isTTY), terminal(!isTTY)];
      const output = open({ stdout, stderr }, { json, log });
      expect(output.isTerminal).toBe(expected);
    },
  );

  test('is as wide as its terminal, and not bounded where there is none', () => {
    const widths = [true, false].map(isTTY => {
      const at = terminal(isTTY);
      Object.assign(at.stdout, { columns: 80 });
      let seen: number | undefined;
      const see = (_: ChangeEvent, { width }: { width?: number }) => {
        seen = width;
        return '';
      };
      open(at, { format: see }).event(event);
      return seen;
    });
    expect(widths).toEqual([80, undefined]);
  });

  test('that waits in a pipe for a slow reader has left the process when it is flushed', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    stream.write('x'.repeat(100));
    const flushed = vi.fn();
    const flushing = flush(stream).then(flushed);
    await new Promise(setImmediate);
    expect(flushed).not.toHaveBeenCalled();
    stream.resume();
    await flushing;
  });

  test('that nobody reads any more holds nothing up', async () => {
    const stream = new PassThrough({ highWaterMark: 10 });
    stream.write('x'.repeat(100));
    const flushing = flush(stream);
    stream.destroy();
    await flushing;
    await flush(stream);
  });
});
