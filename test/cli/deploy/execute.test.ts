import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute } from '../../../cli/deploy/execute.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

/** A program of Node's with this text. */
function program(text: string): [string] {
  const path = join(temporaryDirectory(), 'program.mjs');
  writeFileSync(path, text);
  return [path];
}

const never = new AbortController().signal;

describe('a program', () => {
  it('gets its arguments and variables, and gives its exit code', async () => {
    const [path] = program("process.exit(process.argv[2] === 'a b' && process.env.GIVEN === 'x' ? 3 : 4)");
    const variables = { GIVEN: 'x' };
    expect(await execute({ command: [path, 'a b'], variables, quiet: true }, never)).toBe(3);
  });

  it('is ended when somebody wants that, and has failed then', async () => {
    const ending = new AbortController();
    const command = program('setInterval(() => {}, 1000)');
    const ended = execute({ command, variables: {}, quiet: true }, ending.signal);
    ending.abort();
    expect(await ended).toBe(1);
  });
});
