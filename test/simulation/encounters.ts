import type { Coverage } from './faults.ts';
import { COMMITS, type PortCall } from './port-calls.ts';

/** Calls of a pass that often follow each other: in a large run, another pass must have committed between
 *  each two of these. Pairs that occur only after a fault, or rarely, are counted together. */
export const FOLLOWING = {
  'take lease': ['read state'],
  'read state': ['rechecks'],
  rechecks: ['token', 'projects', 'definitions', 'finish', 'announce'],
  token: ['projects', 'definitions'],
  projects: ['projects', 'audit log', 'save progress'],
  'audit log': ['audit log', 'projects', 'save progress'],
  definitions: ['definitions', 'projects', 'announce', 'load', 'commit'],
  'save progress': ['with snapshot', 'load', 'tasks', 'heads', 'finish'],
  'with snapshot': ['definitions', 'load'],
  load: ['tasks', 'load', 'delete'],
  tasks: ['tasks', 'definitions', 'commit', 'load', 'read state', 'heads', 'finish'],
  commit: ['load', 'tasks', 'heads', 'finish'],
  announce: ['load', 'projects', 'finish'],
  heads: ['tasks', 'load'],
  finish: ['read state'],
} as const satisfies Partial<Record<PortCall, readonly PortCall[]>>;

/** These pairs as rows of the coverage. */
export const ENCOUNTERS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(FOLLOWING).map(([call, next]) => [`after ${call}`, next])),
  elsewhere: ['seldom, or behind a fault'],
};

/** True for a row of the coverage that counts encounters. */
export function isEncounter(boundary: string): boolean {
  return Object.hasOwn(ENCOUNTERS, boundary);
}

interface Walk {
  last: PortCall | undefined;
  /** Whether another pass has committed since this one's last call. */
  isOvertaken: boolean;
}

/** Counts where passes over one process meet: between which two successive calls of one pass another pass committed. */
export class Encounters {
  readonly #coverage: Coverage;
  /** By run, the walks of its passes by process. */
  readonly #runs = new Map<object, Map<string, Walk>>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  began(run: object): void {
    this.#runs.set(run, new Map());
  }

  ended(run: object): void {
    this.#runs.delete(run);
  }

  /** Called for each call of a pass at the time of its effect; `isDone`: it was carried out. */
  called(run: object, processId: string, call: PortCall, isDone: boolean): void {
    for (const [one, others] of this.#runs) {
      const walk = others.get(processId);
      if (walk && one !== run && isDone && COMMITS.has(call)) walk.isOvertaken = true;
    }
    const walks = this.#runs.get(run);
    if (!walks) return;
    const walk = walks.get(processId) ?? { last: undefined, isOvertaken: false };
    walks.set(processId, walk);
    if (walk.last && walk.isOvertaken) this.#met(walk.last, call);
    Object.assign(walk, { last: call, isOvertaken: false });
  }

  #met(before: PortCall, after: PortCall): void {
    const isExpected = ENCOUNTERS[`after ${before}`]?.includes(after);
    if (isExpected) this.#coverage.add(`after ${before}`, after);
    else this.#coverage.add('elsewhere', 'seldom, or behind a fault');
  }
}
