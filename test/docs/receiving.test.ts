import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { SentEvent } from '../../functions/model/event.ts';
import { ROOT } from '../kit/docs/documents.ts';
import {
  event,
  folderWith,
  LANGUAGES,
  type Language,
  node,
  runs,
  send,
  testReceiver,
} from '../kit/docs/receivers.ts';
import { secretOf } from '../kit/receiver/requests.ts';

const PUBLISHED = 'console.log(event.type, event.subject);';

testReceiver('Node');
testReceiver('Python');

/** The errors that TypeScript reports. */
async function mistakesIn(folder: string): Promise<string> {
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] },
    ...{ noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: true },
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['receiver.mts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc], { cwd: folder }).catch(
    error => error,
  );
  return stdout;
}

describe('docs/receiving.md, the receiver in Node', () => {
  it('has no mistake for TypeScript, which knows the data of a type', async () => {
    expect(await mistakesIn(folderWith(node))).toBe('');
    expect(node).toContain(PUBLISHED);
    const wrong = node.replace("'task.updated'", "'source.held'");
    expect(await mistakesIn(folderWith(wrong))).toContain("'changes' does not exist");
  });

  it('prints the names of the changed fields', async () => {
    const { url, written } = await runs(LANGUAGES.Node as Language, secretOf('one'));
    expect(await send(url, event)).toBe(204);
    const { changes } = (event as Extract<SentEvent, { type: 'task.updated' }>).data;
    const names = changes.map(({ name }) => name).join(', ');
    await vi.waitFor(() => expect(written.out).toBe(`task.updated ${event.subject}\n${names}\n`));
  });
});
