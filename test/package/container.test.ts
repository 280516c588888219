import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../local/settings/options.ts';
import { readDocument } from '../kit/docs/documents.ts';

const { name, bin, files, engines } = JSON.parse(readDocument('package.json')) as {
  name: string;
  bin: Record<string, string>;
  files: string[];
  engines: { node: string };
};
// A line that ends with a backslash goes on.
const lines = readDocument('Dockerfile')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(line => /^[A-Z]/.test(line));
const instructions = (instruction: string) =>
  lines.filter(line => line.startsWith(`${instruction} `)).map(line => line.slice(instruction.length + 1));
const last = (instruction: string) => instructions(instruction).at(-1) ?? '';

const tarballs = `${name}-[0-9]*.tgz`;
const [folder] = instructions('WORKDIR');

/** The arguments of a run: those behind `start`. */
const [command, ...options]: string[] = JSON.parse(last('CMD'));

describe('the container', () => {
  test('is made of the package alone, and nothing else is sent to the builder', () => {
    expect(instructions('COPY')).toEqual([`${tarballs} ./`]);
    expect(instructions('ADD')).toEqual([]);
    const sent = readDocument('.dockerignore')
      .split('\n')
      .filter(line => line !== '' && !line.startsWith('#'));
    expect(sent).toEqual(['*', `!${tarballs}`]);
  });

  test('installs the package before anything else is done, without what its dependencies would run', () => {
    const [install = ''] = instructions('RUN');
    expect(install).toMatch(/^npm install (--[a-z-]+ )*\.\/changewire-\[0-9\]\*\.tgz( |$)/);
    expect(install).toContain(' --ignore-scripts ');
  });

  test('has the Node that the project is tested with', () => {
    const { node } = JSON.parse(readDocument('package/checkout/package.json')).optionalDependencies;
    expect(last('FROM')).toBe(`node:${node.split('.')[0]}-slim`);
    expect(engines.node).toBe(`>=${node.split('.')[0]}`);
  });

  test("starts the package's command as a user without rights", () => {
    expect(instructions('USER')).toEqual(['node']);
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', `${folder}/node_modules/${name}/${bin[name]}`]);
    expect(files).toContain(bin[name]);
    expect(command).toBe('start');
    expect(instructions('RUN')).toContain(`ln -s ${folder}/node_modules/.bin/${name} /usr/local/bin/${name}`);
  });

  test('keeps its data in a volume, in which its command begins', () => {
    const { data, config } = parseOptions(options);
    expect({ data, config }).toEqual({ data: last('VOLUME'), config: '/etc/changewire/changewire.json' });
    expect(last('WORKDIR')).toBe(last('VOLUME'));
  });

  test('asks a run for its health where that answers', () => {
    const { health } = parseOptions(options);
    expect(last('HEALTHCHECK')).toContain(`http://127.0.0.1:${health}/healthz`);
  });
});
