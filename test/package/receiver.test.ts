import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadedBy, ROOT } from '../kit/package/loaded.ts';

const manifest = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { version, dependencies, peerDependencies } = manifest('receiver/package.json');
const whole = manifest('package.json');

test('the package for receivers has the version of the whole, and the one dependency that it loads', () => {
  expect(version).toBe(whole.version);
  const loaded = [...loadedBy('receiver/index.ts').packages];
  expect(loaded.toSorted()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).toSorted());
  expect(Object.keys(dependencies).length).toBeLessThanOrEqual(1);
  for (const [name, range] of Object.entries(dependencies)) expect(range).toBe(whole.dependencies[name]);
});
