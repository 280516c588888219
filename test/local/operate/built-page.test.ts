import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtPage, digestOfSources, ROOT, whyNoPage } from '../../../local/operate/page.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

/** A checkout of a page's sources. */
function checkout(): string {
  const root = temporaryDirectory();
  for (const folder of ['console', 'functions/operations', 'node_modules'])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'console/main.tsx'), 'render();');
  writeFileSync(join(root, 'functions/operations/follow.ts'), 'export {};');
  return root;
}

const keptIn = (root: string) => readdirSync(join(root, 'node_modules/.cache/changewire/console'));

/** Builds what it was told, and counts. */
function builder() {
  const made = { times: 0 };
  const run = async (directory: string) => {
    made.times += 1;
    mkdirSync(join(directory, 'assets'), { recursive: true });
    writeFileSync(join(directory, 'index.html'), `build ${made.times}`);
    writeFileSync(join(directory, 'assets/a.js'), 'a');
    writeFileSync(join(directory, 'assets/a.map'), 'not for browsers');
  };
  return { made, run };
}

describe('the page of a checkout', () => {
  it('is built once for each state of the sources, and only the newest is kept', async () => {
    const root = checkout();
    const { made, run } = builder();
    const first = await builtPage(root, run);
    expect([...first].map(([path, { type }]) => `${path} ${type}`)).toEqual([
      ...['/ text/html; charset=utf-8', '/assets/a.js text/javascript; charset=utf-8'],
    ]);
    expect((await builtPage(root, run)).get('/')?.body.toString()).toBe('build 1');
    writeFileSync(join(root, 'console/main.tsx'), 'render(1);');
    expect((await builtPage(root, run)).get('/')?.body.toString()).toBe('build 2');
    expect(made.times).toBe(2);
    expect(keptIn(root)).toEqual([await digestOfSources(root)]);
  });

  it('is the same for two that build it at once', async () => {
    const root = checkout();
    const { run } = builder();
    const both = await Promise.all([builtPage(root, run), builtPage(root, run)]);
    for (const built of both) expect([...built.keys()].toSorted()).toEqual(['/', '/assets/a.js']);
    expect(keptIn(root)).toHaveLength(1);
  });

  it('is there also where nothing can be kept', async () => {
    const root = checkout();
    writeFileSync(join(root, 'node_modules/.cache'), 'a file, where a folder should be');
    const { made, run } = builder();
    await builtPage(root, run);
    expect((await builtPage(root, run)).get('/')?.body.toString()).toBe('build 2');
    expect(made.times).toBe(2);
  });

  it('of a build that failed is not kept, and why is said in a line', async () => {
    const root = checkout();
    const failing = () => Promise.reject(new Error('no'));
    await expect(builtPage(root, failing)).rejects.toThrow('no');
    await expect(builtPage(root, async () => undefined)).rejects.toThrow('The page has no index.html.');
    expect(keptIn(root)).toEqual([]);
    const { run } = builder();
    expect((await builtPage(root, run)).has('/')).toBe(true);
  });

  it('has another digest for each change of what it is built from, and the same wherever it lies', async () => {
    const root = checkout();
    const before = await digestOfSources(root);
    const elsewhere = temporaryDirectory();
    cpSync(root, elsewhere, { recursive: true });
    expect(await digestOfSources(elsewhere)).toBe(before);
    const seen = new Set([before]);
    for (const file of ['console/new.css', 'functions/operations/follow.ts', 'package-lock.json']) {
      writeFileSync(join(root, file), 'another text');
      seen.add(await digestOfSources(root));
    }
    expect(seen.size).toBe(4);
  });
});

describe('a checkout', () => {
  it('can have a page here, and says why where it can not', () => {
    expect(whyNoPage(ROOT)).toBe(undefined);
    const root = checkout();
    expect(whyNoPage(root)).toMatch(/^its sources/);
    writeFileSync(join(root, 'console/index.html'), '');
    expect(whyNoPage(root)).toMatch(/--omit=dev/);
    mkdirSync(join(root, 'node_modules/.cache/changewire/console'), { recursive: true });
    expect(whyNoPage(root)).toBe(undefined);
  });
});
