import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { parseOptions } from '../../local/settings/options.ts';
import { run, worldOf } from '../kit/cli/world.ts';
import { documents, readDocument } from '../kit/docs/documents.ts';
import { config } from '../kit/infra/config-examples.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

/** What stands in a document for something that its reader knows. */
const MEANT: Record<string, string> = {
  QUEUE: 'rejected',
  FUNCTION: 'poll',
  COMMAND: 'status',
  TIME: '2h',
  REGION: 'eu-central-1',
};

const program = createProgram(worldOf({}).world);
const NAMES = new Set(
  program.commands.flatMap(command => [
    command.name(),
    ...command.commands.map(sub => `${command.name()} ${sub.name()}`),
  ]),
);

/** Command lines in code, as a shell would hand them over. */
function commandLines(document: string): string[] {
  const text = readDocument(document);
  const inline = [...text.matchAll(/`(?:npx )?changewire ([^`\n]+)`/g)].map(([, line = '']) => line);
  const blocks = [...text.matchAll(/^\s*(?:\$ )?(?:npx )?changewire (\S.*)$/gm)].map(([, line = '']) => line);
  const inBlock = [...text.matchAll(/<\(changewire ([^)]+)\)/g)].map(([, line = '']) => line);
  return (
    [...inline, ...blocks, ...inBlock]
      .map(line => line.split(/ [#|<>] | [#|<>]|…/)[0]?.trim() ?? '')
      // One that only names a command is no line to type.
      // What starts a run is read by it: test/docs/local.test.ts.
      .filter(line => !line.startsWith('start'))
      .filter(line => /^[a-z-]/.test(line) && !/[[\]]/.test(line) && !NAMES.has(line))
  );
}

const cases = documents().flatMap(document =>
  [...new Set(commandLines(document))].map(line => [document, line] as const),
);

/** A folder with the files that the documents name; `init` has yet to write one. */
function folderFor(command: string | undefined): string {
  const directory = temporaryDirectory();
  if (command !== 'init') writeFileSync(join(directory, 'changewire.json'), JSON.stringify(config()));
  const stacks = ['Changewire-Eu', 'Changewire-Us'].map(stackName => ({ stackName, ...config() }));
  writeFileSync(join(directory, 'stacks.json'), JSON.stringify(stacks));
  return directory;
}

async function isUnderstood(line: string) {
  const args = line
    .split(' ')
    .filter(Boolean)
    .map(word => MEANT[word] ?? word);
  const every = new Proxy({}, { get: () => () => Promise.reject(new Error('asked')) });
  const stop = () => Promise.reject(new Error('asked'));
  const doctor = { examine: stop, watch: stop, addressesOf: () => undefined };
  // It goes on until somebody ends it.
  const ended = ['console', 'mcp'].includes(args[0] ?? '') && { interrupted: AbortSignal.abort() };
  const { code, err } = await run(args, {
    answers: every,
    says: true,
    doctor,
    directory: folderFor(args[0]),
    // For each `-`.
    secrets: Array.from(args, () => 'X-Any: 1'),
    ...ended,
  });
  return { code, err: code === 2 ? err : '' };
}

describe('the documents', () => {
  it('have command lines', () => {
    expect(cases.length).toBeGreaterThan(40);
  });

  it.each(cases)('%s: changewire %s', async (_, line) => {
    expect(await isUnderstood(line)).toMatchObject({ code: expect.toBeOneOf([0, 1]), err: '' });
  });
});

describe('the help of each command', () => {
  const all = program.commands
    .flatMap(command =>
      command.commands.length > 0
        ? command.commands.map(sub => [command.name(), sub.name()])
        : [[command.name()]],
    )
    .filter(([name]) => name !== 'complete');

  it.each(all.map(path => [path.join(' ')]))('of %s has an example, which is understood', async path => {
    const { code, out } = await run([...path.split(' '), '--help']);
    expect(code).toBe(0);
    const told = out.slice(out.search(/^Examples?:/m));
    const examples = [...told.matchAll(/^ {2}npx changewire (.+)$/gm)].map(([, line = '']) => line);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      expect(example.startsWith(path)).toBe(true);
      if (path === 'start') expect(() => parseOptions(example.split(' ').slice(1))).not.toThrow();
      else expect(await isUnderstood(example.split(' < ')[0] ?? '')).toMatchObject({ err: '' });
    }
  });
});
