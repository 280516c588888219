import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../kit/docs/documents.ts';
import { folderWith, node, testReceiver } from '../kit/docs/receivers.ts';

const PUBLISHED = 'console.log(event.type, event.subject);';

testReceiver('Node');
testReceiver('Python');

/** The errors that TypeScript reports of these files, each with its name. */
async function mistakesIn(folder: string, files: readonly string[]): Promise<string> {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const checking = promisify(execFile)(process.execPath, [tsc], { cwd: folder });
  return (await checking.catch(error => error)).stdout;
}

describe('docs/receiving.md, the receiver in Node', () => {
  it('has no mistake for TypeScript, which knows the data of a type', async () => {
    expect(node).toContain(PUBLISHED);
    const folder = folderWith(node);
    writeFileSync(join(folder, 'wrong.mts'), node.replace("'task.updated'", "'source.held'"));
    const mistakes = await mistakesIn(folder, ['receiver.mts', 'wrong.mts']);
    expect(mistakes).toMatch(/^wrong\.mts\(.*'changes' does not exist/);
    expect(mistakes).not.toContain('receiver.mts');
  });
});
