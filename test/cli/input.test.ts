import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { terminalInput } from '../../cli/context/input.ts';
import { changewire } from '../../cli/program.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { worldOf } from '../kit/cli/world.ts';

/** Somebody at a terminal, or a pipe; what is shown of it. */
function at(what: 'terminal' | 'pipe') {
  const isTTY = what === 'terminal';
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  let shown = '';
  stderr.setEncoding('utf8').on('data', text => {
    shown += text;
  });
  const ending = new AbortController();
  const input = terminalInput({ stdin, stderr }, ending.signal);
  return { stdin, input, ending, shown: () => shown };
}

describe('at a terminal', () => {
  it.each([
    ['y', true],
    ['YES', true],
    ['n', false],
    ['', false],
    ['maybe', false],
    ['yet', false],
  ])('a question that is answered with %j means %s', async (typed, meant) => {
    const { input, stdin, shown } = at('terminal');
    const asked = input.confirm('Do it?');
    stdin.write(`${typed}\n`);
    expect(await asked).toBe(meant);
    expect(shown()).toContain('Do it? [y/N]');
  });

  it('a line is shown as it is typed', async () => {
    const { input, stdin, shown } = at('terminal');
    const asked = input.line('The URL');
    stdin.write(' https://a.example \n');
    expect(await asked).toBe('https://a.example');
    expect(shown()).toContain('The URL: ');
    expect(shown()).toContain('https://a.example');
  });

  it('a secret is not shown', async () => {
    const { input, stdin, shown } = at('terminal');
    const asked = input.secret('The URL');
    stdin.write('https://hush.example\n');
    expect(await asked).toBe('https://hush.example');
    expect(shown()).toBe('The URL (hidden): \n');
  });

  it('the secrets of an endpoint are asked for one after the other', async () => {
    const { input, stdin, shown } = at('terminal');
    const { world, asked } = worldOf({ answers: { 'add-endpoint': {} } });
    const line = 'endpoints add crm --webhook https://a.example --secret - --secret -';
    const added = changewire(line.split(' '), { ...world, input });
    const prompt = 'The signing secret (hidden): ';
    for (const [secret, prompts] of [
      ['whsec_a', prompt],
      ['whsec_b', `${prompt}\n${prompt}`],
    ]) {
      await expect.poll(shown).toBe(prompts);
      stdin.write(`${secret}\n`);
    }
    expect(await added).toBe(0);
    expect(asked).toMatchObject([{ secrets: ['whsec_a', 'whsec_b'] }]);
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s ends the question', async (_, key) => {
    const { input, stdin } = at('terminal');
    const asked = input.confirm('Do it?');
    stdin.write(key);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('a signal ends it', async () => {
    const { input, ending } = at('terminal');
    const asked = input.secret('The URL');
    ending.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('in a pipe', () => {
  it.each(['stdin', 'stderr'] as const)('nobody can be asked, be it %s alone', piped => {
    const ends = { stdin: new PassThrough(), stderr: new PassThrough() };
    for (const [name, end] of Object.entries(ends)) Object.assign(end, { isTTY: name !== piped });
    expect(terminalInput(ends, new AbortController().signal).canAsk).toBe(false);
  });

  it('each secret is a line, in their order', async () => {
    const { input, stdin, shown } = at('pipe');
    stdin.end(' https://a.example \r\n\nwhsec_a\nwhsec_b');
    expect(input.canAsk).toBe(false);
    expect(await input.secret('The URL')).toBe('https://a.example');
    expect(await Promise.all([input.secret('One'), input.secret('Other')])).toEqual(['whsec_a', 'whsec_b']);
    expect(shown()).toBe('');
  });

  it('one that is missing is named', async () => {
    const { input, stdin } = at('pipe');
    stdin.end('');
    await expect(input.secret('The URL')).rejects.toThrow(new UsageError('The URL is missing from stdin.'));
  });
});
