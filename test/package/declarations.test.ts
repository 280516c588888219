import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { declarationsOf } from '../../package/declarations.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

test('declarations: those of an entry, of what it imports in any form, and so on, also in a circle', () => {
  const root = temporaryDirectory();
  const file = (name: string, text: string) => {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
    return join(root, name);
  };
  const entry = file(
    'infra/index.d.ts',
    "export { A } from './a.ts';\nimport type { Topic } from 'aws-cdk-lib/aws-sns';\n",
  );
  const a = file('infra/a.d.ts', 'export declare const A: import("../basics/b.js").B;\n');
  const b = file('basics/b.d.ts', "import type { A } from '../infra/a.ts';\nexport type B = typeof A;\n");
  file('infra/unused.d.ts', 'export {};\n');
  expect([...declarationsOf([entry])]).toEqual([entry, a, b]);
});
