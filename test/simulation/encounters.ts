import type { Coverage } from './faults.ts';
import { COMMITS, type PortCall } from './port-calls.ts';

/** The calls of a pass that often follow each other: between each two of them another pass must have committed in a large run.
 *  What follows only behind a fault, or seldom, is counted in one. */
export const FOLLOWING = {
  'take lease': ['read state'],
  'read state': ['debts'],
  debts: ['token', 'projects', 'definitions', 'finish', 'announce'],
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

/** Where another pass committed, as rows of the coverage. */
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
  /** True when another one committed since. */
  isOvertaken: boolean;
}

/** Counts where passes meet: between which two successive calls of one of them another one committed something. */
export class Encounters {
  readonly #coverage: Coverage;
  readonly #walks = new Map<object, Walk>();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  began(walker: object): void {
    this.#walks.set(walker, { last: undefined, isOvertaken: false });
  }

  ended(walker: object): void {
    this.#walks.delete(walker);
  }

  /** To be told of each call of a walker when it has its effect, and whether it was carried out. */
  called(walker: object, call: PortCall, isDone: boolean): void {
    for (const [one, walk] of this.#walks) {
      if (one !== walker && isDone && COMMITS.has(call)) walk.isOvertaken = true;
    }
    const walk = this.#walks.get(walker);
    if (!walk) return;
    if (walk.last && walk.isOvertaken) this.#met(walk.last, call);
    Object.assign(walk, { last: call, isOvertaken: false });
  }

  #met(before: PortCall, after: PortCall): void {
    const isExpected = ENCOUNTERS[`after ${before}`]?.includes(after);
    if (isExpected) this.#coverage.add(`after ${before}`, after);
    else this.#coverage.add('elsewhere', 'seldom, or behind a fault');
  }
}
