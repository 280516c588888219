import type { Coverage } from './faults.ts';
import { COMMITS, type PortCall } from './port-calls.ts';

/** The calls of a pass that may follow each other when no fault strikes: between each two of them another pass must have
 *  committed. */
export const FOLLOWING = {
  'read state': ['take lease', 'definitions', 'load', 'finish', 'announce'],
  'take lease': ['token', 'read state', 'projects', 'definitions'],
  token: ['projects', 'definitions'],
  projects: ['projects', 'audit log', 'save progress', 'load', 'project ids'],
  'audit log': ['audit log', 'projects', 'save progress'],
  definitions: ['definitions', 'projects', 'announce', 'load', 'commit'],
  'save progress': ['held', 'load', 'tasks', 'project ids', 'announce', 'finish', 'release'],
  held: ['definitions', 'projects', 'load', 'finish'],
  load: ['tasks', 'load', 'delete', 'finish'],
  tasks: ['tasks', 'definitions', 'commit', 'load', 'held', 'read state', 'project ids', 'finish'],
  commit: ['load', 'tasks', 'held', 'project ids', 'finish'],
  delete: ['load', 'finish'],
  announce: ['commit', 'load', 'projects', 'finish'],
  'project ids': ['tasks', 'load', 'read state'],
  finish: ['read state', 'is unfinished'],
  'is unfinished': ['read state'],
} as const satisfies Partial<Record<PortCall, readonly PortCall[]>>;

/** Where another pass committed, as rows of the coverage. */
export const ENCOUNTERS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(FOLLOWING).map(([call, next]) => [`after ${call}`, next])),
  'after a fault': ['anything'],
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
    else this.#coverage.add('after a fault', 'anything');
  }
}
