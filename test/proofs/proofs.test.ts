import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute } from './execute.ts';
import { type Command, type Proof, prove } from './proof.ts';
import { proofsOf } from './proofs.ts';

const MINUTE = 60_000;
const ROOT = resolve(import.meta.dirname, '../..');

const commands = (...names: string[]): Command[] => names.map(what => ({ what, args: [] }));
const proof = (name: string, more: Partial<Proof> = {}): Proof => ({
  name,
  commands: commands(name),
  within: 5 * MINUTE,
  atMost: 10 * MINUTE,
  ...more,
});

/** Runs proofs whose commands take so many minutes and end so. */
async function proven(proofs: Proof[], minutes: number, ends: Record<string, number> = {}) {
  let now = 0;
  const run: string[] = [];
  const outcomes = await prove(proofs, {
    deadline: 19 * MINUTE,
    clock: () => now,
    say: () => undefined,
    execute: async ({ what }, limit) => {
      run.push(what);
      now += Math.min(minutes * MINUTE, limit);
      const result = minutes * MINUTE > limit ? ('time-out' as const) : (ends[what] ?? 0);
      return { result, output: '' };
    },
  });
  return { run, outcomes: outcomes.map(({ name, outcome, passed }) => `${name}: ${outcome} ${passed}`) };
}

describe('the long proofs', () => {
  it('begin further commands within their time, and always one', async () => {
    const many = { commands: commands('a', 'b', 'c', 'd', 'e') };
    const { run, outcomes } = await proven([proof('short', { ...many, within: 0 }), proof('long', many)], 2);
    expect(run).toEqual(['a', 'a', 'b', 'c']);
    expect(outcomes).toEqual(['short: passed 1', 'long: passed 3']);
  });

  it('go on behind a failure and behind what can not run here', async () => {
    const proofs = [proof('one'), proof('two', { unavailable: 77 }), proof('three')];
    const { outcomes } = await proven(proofs, 1, { one: 1, two: 77 });
    expect(outcomes).toEqual(['one: failed 0', 'two: unavailable 0', 'three: passed 1']);
  });

  it('fail by a command that hangs, not by one that the deadline ends', async () => {
    const { outcomes } = await proven([proof('one'), proof('two'), proof('three')], 11);
    expect(outcomes).toEqual(['one: failed 0', 'two: cut short 0', 'three: no time left 0']);
  });

  it('run beside the others where they wait most of the time, and show what a failed command said', async () => {
    const ended = Promise.withResolvers<number>();
    const begun: [string, string][] = [];
    const all = [
      proof('waits', { isBeside: true }),
      proof('one'),
      proof('two'),
      proof('last', { isBehind: true }),
    ];
    const outcomes = prove(all, {
      deadline: 19 * MINUTE,
      clock: () => 0,
      say: () => undefined,
      execute: async ({ what }, _, output) => {
        begun.push([what, output]);
        if (what === 'two') setImmediate(() => ended.resolve(1));
        if (what === 'last') expect(await Promise.race([ended.promise, 'earlier'])).toBe(1);
        return { result: what === 'waits' ? await ended.promise : 0, output: what };
      },
    });
    expect((await outcomes).map(({ name, outcome, output }) => [name, outcome, output])).toEqual([
      ['one', 'passed', ''],
      ['two', 'passed', ''],
      ['last', 'passed', ''],
      ['waits', 'failed', 'waits'],
    ]);
    expect(begun).toEqual([
      ['waits', 'at its end'],
      ['one', 'at once'],
      ['two', 'at once'],
      ['last', 'at once'],
    ]);
  });

  it('run what is there', () => {
    for (const { commands } of proofsOf({ root: ROOT, turn: 1, base: 5 })) {
      const [first] = commands;
      expect(existsSync(join(ROOT, first?.args[0] ?? ''))).toBe(true);
    }
  });
});

describe('a command', () => {
  it('that hangs is killed, though it does not want to end', async () => {
    const deaf = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const { result } = await execute({ what: '', args: ['-e', deaf] }, 300, 'at once', 300);
    expect(result).toBe('time-out');
  });

  it.each(['at once', 'at its end'] as const)('whose output is shown %s returns it, too', async output => {
    const fails = "process.stdout.write('how '); process.stderr.write('it failed\\n'); process.exitCode = 3";
    const ended = await execute({ what: '', args: ['-e', fails] }, 10_000, output);
    expect(ended).toEqual({ result: 3, output: expect.stringContaining('it failed') });
  });

  it('that takes the processors gives way to what waits for answers', async () => {
    const look = `const { existsSync, readFileSync } = require('node:fs');
      const file = '/proc/self/autogroup';
      const session = () => readFileSync(file, 'utf8').trim().split(' ').at(-1);
      const gaveWay = () => require('node:os').getPriority() === 10 && (!existsSync(file) || session() === '10');
      setInterval(() => gaveWay() && process.exit(5), 20);`;
    const command = { what: '', args: ['-e', look], isPatient: true };
    const { result } = await execute(command, 10_000, 'at once', 300);
    expect(result).toBe(5);
  });
});
