import type { Clock } from '../basics/clock.ts';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';
import type { ProcessSettings } from '../config/workspace.ts';
import type { Service } from '../service/service.ts';
import type { Snapshots } from '../store/store.ts';

/** What a pass works with. */
export interface PassParts {
  readonly process: ProcessKey;
  readonly settings: ProcessSettings;
  /** How many projects are looked at concurrently. The service client limits its concurrent requests itself. */
  readonly concurrency: number;
  readonly service: Service;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly log: Log;
  /** Our time, in ms since 1970, after which no further project is begun. */
  readonly stopAt: number;
  /** Codes of conditions that the configuration states already: they are not reported (see Reports). */
  readonly known: readonly string[];
  readonly onProgress?: ((mode: PassKind, done: number, total: number) => void) | undefined;
  /** Called with the ids of the events of each commit. */
  readonly onCommitted?: ((ids: readonly string[]) => void) | undefined;
}

/** A `baseline` is the first sweep of a process: it commits snapshots and tells nothing. */
export type PassKind = 'baseline' | Mode;
