import { argv, cwd, env, exit, stderr, stdin, stdout } from 'node:process';
import { sleep } from '../functions/basics/system.ts';
import { flush, withEnvFile } from '../local/basics/process.ts';
import { browse } from './browse.ts';
import { backUpRun } from './connect/back-up.ts';
import { openDoctor } from './connect/doctor.ts';
import { terminalInput } from './context/input.ts';
import { open } from './context/runner.ts';
import { execute } from './deploy/execute.ts';
import { changewire } from './program.ts';

/** `npx changewire …` (docs/operating.md): asks a run on this machine, or a stack on AWS. Exit code: 0
 *  when it was done, 1 when it could not be done, 2 when the command line is wrong. */
const interrupting = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    // The second Ctrl-C ends it at once.
    if (interrupting.signal.aborted) exit(130);
    interrupting.abort();
  });
// The reader, such as `head`, has closed the pipe: that is no error.
stdout.on('error', () => exit(0));

const code = await changewire(argv.slice(2), {
  ...{ stdout, stderr, env, sleep, open, browse, backUp: backUpRun },
  directory: cwd(),
  execute: program => execute(program, interrupting.signal),
  // Loaded only when needed, because every other command is to answer at once.
  stackTable: async place => {
    const { openStackTable } = await import('./restore/stack-table.ts');
    return openStackTable(place, { sleep, signal: interrupting.signal });
  },
  doctor: place => openDoctor(place, withEnvFile(env, cwd()), cwd()),
  input: terminalInput({ stdin, stderr }, interrupting.signal),
  clock: Date.now,
  interrupted: interrupting.signal,
});
await Promise.all([stdout, stderr].map(flush));
exit(code);
