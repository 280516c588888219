import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { verifyProcess } from '../../functions/operations/verify/walk.ts';
import { openStoredOperations } from '../../local/operate/operations.ts';
import { committedEvents, deadRows, sweepCompletedAt } from '../kit/store-file.ts';

/** What a run keeps in its data directory, as far as this test looks into it. */
export class Data {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** When the process was last swept, in ms since 1970; 0 before the first time. */
  sweptAt(workspace: string, processId: string): number {
    return sweepCompletedAt(this.path, { workspace, processId });
  }

  /** Every event that was committed. */
  get committed(): ChangeEvent[] {
    return committedEvents(this.path);
  }

  /** What `changewire verify` finds of a process. */
  async verify(process: string): Promise<string[]> {
    const { operations, close } = await openStoredOperations(this.path, () => undefined);
    try {
      const caller = { who: 'test', isProven: true };
      const { isBaselined, unsettled, mismatches } = await verifyProcess(asked => operations(asked, caller), {
        process,
      });
      if (!isBaselined || unsettled > 0) return [`${process} cannot be verified`];
      return mismatches.map(one => `Verify finds of ${process}: ${JSON.stringify(one)}`);
    } finally {
      close();
    }
  }

  /** What was given up or rejected: nothing may be. */
  get givenUp(): string[] {
    const rejected = join(this.path, 'rejected.jsonl');
    const lines = existsSync(rejected) ? readFileSync(rejected, 'utf8').split('\n').filter(Boolean) : [];
    return [
      ...deadRows(this.path).map(row => `It was given up: ${JSON.stringify(row).slice(0, 500)}`),
      ...lines.map(line => `It was rejected: ${line.slice(0, 500)}`),
    ];
  }
}
