import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../local/settings/options.ts';
import { loadedBy, ROOT } from '../kit/package/loaded.ts';

const text = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');
const lines = text('Dockerfile')
  .split('\n')
  .filter(line => /^[A-Z]/.test(line));
const instructions = (name: string) =>
  lines.filter(line => line.startsWith(`${name} `)).map(line => line.slice(name.length + 1));
const last = (name: string) => instructions(name).at(-1) ?? '';

/** Files and folders that the image takes from here. */
const taken = instructions('COPY').flatMap(copy => copy.split(' ').slice(0, -1));

describe('the container', () => {
  test.each(['local/main.ts', 'cli/main.ts'])('holds every file that %s loads', entry => {
    const { files } = loadedBy(entry);
    expect(files.size).toBeGreaterThan(200);
    const isTaken = (file: string) => taken.some(one => file === one || file.startsWith(`${one}/`));
    expect([...files].filter(file => !isTaken(file))).toEqual([]);
  });

  test('is built from what it takes, and nothing else is sent to the builder', () => {
    const [first, ...exceptions] = text('.dockerignore')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    expect(exceptions.map(exception => exception.slice(1)).sort()).toEqual(taken.toSorted());
  });

  test('has the Node that the project is tested with', () => {
    const { node } = JSON.parse(text('package.json')).optionalDependencies;
    expect(last('FROM')).toBe(`node:${node.split('.')[0]}-slim`);
  });

  test('runs as a user without rights, without a shell that keeps SIGTERM to itself', () => {
    expect(lines.findIndex(line => line.startsWith('USER node'))).toBeLessThan(
      lines.findIndex(line => line.startsWith('ENTRYPOINT')),
    );
    expect(instructions('USER')).toEqual(['node']);
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', `${instructions('WORKDIR')[0]}/local/main.ts`]);
  });

  test('keeps its data in a volume', () => {
    const { data, config } = parseOptions(JSON.parse(last('CMD')));
    expect({ data, config }).toEqual({ data: last('VOLUME'), config: '/etc/changewire/changewire.json' });
  });
});
