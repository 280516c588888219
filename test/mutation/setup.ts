import fc from 'fast-check';
import { inject, vi } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    mode: 'dry-run' | 'mutant';
    activeMutant?: string;
    mutantActivation?: 'static' | 'runtime';
  }
}

/** Properties are looked at with the same values in every run, so that a score can be compared with the last one's; and
 *  a failure is all that is asked for, not the smallest one. */
fc.configureGlobal({ seed: 1, endOnFailure: true });

/** What a thread keeps from one run to the next (kept-worker.ts). */
const thread = globalThis as { run?: string; __stryker__?: { activeMutant?: string | undefined } };

const run = `${inject('mode')} ${inject('activeMutant')}`;
if (thread.run !== run && thread.run !== undefined) {
  vi.useRealTimers();
  vi.resetModules();
  // Only such a mutant is active already while the code is loaded.
  if (thread.__stryker__ && inject('mutantActivation') !== 'static')
    thread.__stryker__.activeMutant = undefined;
}
thread.run = run;
