import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { Failure } from './seeds.ts';

/** Appends a failing seed to the file, as a line of JSON: `{"seed", "commit", "message"}`. */
export function keepFailure(path: string, { seed, message }: Failure, commit = commitNow()): void {
  appendFileSync(path, `${JSON.stringify({ seed, commit, message })}\n`);
}

/** The commit of the code, with `-dirty` if files differ from it; null without git's history. */
function commitNow(): string | null {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null;
  }
}
