import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { go, MISSING, testReceiver } from '../kit/docs/receivers.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

// The first build compiles Go's libraries.
testReceiver('Go');

describe('docs/receiving.md, the receiver in Go', () => {
  it.skipIf(MISSING.Go)(
    `is formatted, and go vet has no complaint (${MISSING.Go ?? 'runs here'})`,
    async () => {
      const cwd = temporaryDirectory();
      writeFileSync(join(cwd, 'receiver.go'), go);
      const formatted = await promisify(execFile)('gofmt', ['receiver.go'], { cwd });
      expect(formatted.stdout).toBe(go);
      const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '' };
      await promisify(execFile)('go', ['vet', 'receiver.go'], { cwd, env });
    },
  );
});
