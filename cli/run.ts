import { argv, cwd, env, exit, stderr, stdin, stdout } from 'node:process';
import { withEnvFile } from '../local/basics/environment.ts';
import { flush } from '../local/basics/flush.ts';
import { sleep } from '../local/basics/sleep.ts';
import { browse } from './browse.ts';
import { openDoctor } from './connect/doctor.ts';
import { open } from './connect/open.ts';
import { terminalInput } from './context/input.ts';
import { changewire } from './program.ts';

/** `npx changewire …` (docs/operating.md): asks a run of this machine, or a stack on AWS. Exit code: 0 when it was done, 1 when it
 *  could not be done, 2 when it was asked wrongly. */
const interrupting = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // Whoever asks twice waits no longer.
    if (interrupting.signal.aborted) exit(130);
    interrupting.abort();
  });
// Who reads only the beginning, as `head` does, has had enough.
stdout.on('error', () => exit(0));

const code = await changewire(argv.slice(2), {
  ...{ stdout, stderr, env, sleep, open, browse },
  doctor: place => openDoctor(place, withEnvFile(env, cwd())),
  input: terminalInput({ stdin, stderr }, interrupting.signal),
  clock: Date.now,
  interrupted: interrupting.signal,
});
await Promise.all([stdout, stderr].map(flush));
exit(code);
