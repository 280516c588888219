import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export function temporaryDirectory(): string {
  // The real path: on macOS the temporary directory is behind a link, and a process that is started there
  // sees its real path.
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'changewire-test-')));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Another Node process that runs `script`, an ES module; it is killed with the test. Resolves once it printed a line. */
export async function otherProcess(script: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, line: line.toString().trim() };
}

/** The URL of a module of the project, for {@link otherProcess}. */
export function moduleUrl(path: string): string {
  return new URL(`../../${path}`, import.meta.url).href;
}
