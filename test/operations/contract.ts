import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Ask, askOf, type Setting } from '../kit/operations/setting.ts';
import { endpointsContract } from './contract-endpoints.ts';
import { journalContract } from './contract-journal.ts';
import { processesContract } from './contract-processes.ts';
import { verifyContract } from './contract-verify.ts';

/** What a suite of the contract works with; `name` makes one that no other test has. */
export interface Bench {
  setting(): Setting;
  ask: Ask;
  name(kind: string): string;
  /** False where a commit of megabytes takes longer than its time-out, as on an emulator of AWS. */
  readonly takesLarge: boolean;
}

let names = 0;
const began = Date.now().toString(36);

/** What every place that answers operations must do, whatever it is made of: one suite for all of them. */
export function operationsContract(where: string, open: () => Promise<Setting>, takesLarge = true): void {
  describe(`operations ${where}`, () => {
    let setting: Setting;
    beforeEach(async () => {
      setting = await open();
    });
    afterEach(() => setting.close());
    const bench: Bench = {
      setting: () => setting,
      ask: (operation, asked) => askOf(setting)(operation, asked),
      takesLarge,
      name: kind => `${kind}-${began}-${++names}`,
    };

    it('answer each request that only looks at what there is not with how to find what there is', async () => {
      for (const asked of [
        { operation: 'endpoint', endpoint: 'nobody' },
        { operation: 'attempts', endpoint: 'nobody' },
        { operation: 'dead-letters', endpoint: 'nobody' },
        { operation: 'preview', endpoint: 'nobody' },
        { operation: 'actions', endpoint: 'nobody' },
        { operation: 'actions', process: 'nobody' },
        { operation: 'doctor', process: 'nobody' },
        { operation: 'verify', process: 'nobody', part: 'journal' },
        { operation: 'events', process: 'nobody' },
        { operation: 'events', workspace: 'nobody' },
        { operation: 'trace', eventId: 'a.b.1.0' },
      ] as const)
        await expect(setting.operations(asked, setting.caller), asked.operation).rejects.toThrow(
          /^There is no .* (List them with: npx changewire endpoints list|The status lists all processes and their workspaces\.|See the list of events\.)$/,
        );
    });
    processesContract(bench);
    endpointsContract(bench);
    journalContract(bench);
    verifyContract(bench);
  });
}
