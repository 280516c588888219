import type { Clock } from '../../basics/clock.ts';
import type { ProcessKey } from '../../basics/process.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { ProcessState } from '../../model/process-state.ts';
import type { Service } from '../../service/service.ts';
import type { Snapshots } from '../../store/store.ts';

/** What reading needs of the pass that it reads for. */
export interface Reader {
  readonly parts: {
    readonly process: ProcessKey;
    readonly service: Service;
    readonly snapshots: Pick<Snapshots, 'heads' | 'toldEntries' | 'users' | 'saveUsers'>;
    readonly settings: { readonly auditLog?: boolean | undefined; readonly audit?: boolean | undefined };
    readonly clock: Clock;
    readonly log: Log;
    /** Our time, in ms since 1970, after which no further reading is begun. */
    readonly stopAt: number;
  };
  readonly kind: string;
  readonly state: Pick<ProcessState, 'watermark'>;
  readonly reports: { once(code: string, message: string, details?: object): void };
  /** To be called wherever time passes. */
  readonly heartbeat: { beat(): Promise<void> };
  readonly outOfTime: boolean;
}
