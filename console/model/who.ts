import type { ChangeLine } from './change-line.ts';

/** A field, or `created` and the like of records. */
export interface Subject {
  readonly text: string;
  /** The label in the filter; undefined for records and for the other fields. */
  readonly field: string | undefined;
  /** The action in the filter's types; undefined for fields. */
  readonly action: string | undefined;
}

/** How often each actor changed each subject. */
export interface Who {
  readonly subjects: readonly Subject[];
  readonly actors: readonly {
    readonly id: string;
    readonly name: string;
    /** By subject. */
    readonly counts: readonly number[];
    readonly sum: number;
  }[];
  /** The changes, those with known actors, and the actors that are left out. */
  readonly changes: number;
  readonly known: number;
  readonly left: number;
}

const MAX_ACTORS = 6;
const MAX_SUBJECTS = 6;

/** The most frequent actors and subjects; undefined if no actor is known. A change by several counts for each. */
export function whoChanged(lines: readonly ChangeLine[]): Who | undefined {
  const subjects = new Map<string, { subject: Subject; sum: number }>();
  const actors = new Map<string, { name: string; counts: Map<string, number>; sum: number }>();
  let known = 0;
  for (const line of lines) {
    const by = line.actors;
    if (by.length === 0) continue;
    known += 1;
    for (const subject of subjectsOf(line)) {
      const key = JSON.stringify([subject.action, subject.field]);
      subjects.set(key, { subject, sum: (subjects.get(key)?.sum ?? 0) + by.length });
      for (const actor of by) {
        const one = actors.get(actor.id) ?? { name: '', counts: new Map<string, number>(), sum: 0 };
        one.counts.set(key, (one.counts.get(key) ?? 0) + 1);
        actors.set(actor.id, { ...one, name: actor.name, sum: one.sum + 1 });
      }
    }
  }
  if (actors.size === 0) return undefined;
  const bySum = (one: { readonly sum: number }, other: { readonly sum: number }) => other.sum - one.sum;
  const shown = [...subjects].toSorted(([, one], [, other]) => bySum(one, other)).slice(0, MAX_SUBJECTS);
  const hasOthers = subjects.size > shown.length;
  const ranked = [...actors].map(([id, one]) => ({ id, ...one })).toSorted(bySum);
  return {
    subjects: [...shown.map(([, { subject }]) => subject), ...(hasOthers ? [OTHERS] : [])],
    actors: ranked.slice(0, MAX_ACTORS).map(({ id, name, counts, sum }) => {
      const own = shown.map(([key]) => counts.get(key) ?? 0);
      const others = hasOthers ? [sum - own.reduce((total, count) => total + count, 0)] : [];
      return { id, name, counts: [...own, ...others], sum };
    }),
    ...{ changes: lines.length, known, left: Math.max(0, ranked.length - MAX_ACTORS) },
  };
}

const OTHERS: Subject = { text: 'other', field: undefined, action: undefined };

function subjectsOf({ action, changes }: ChangeLine): Subject[] {
  if (action !== 'updated') return [{ text: action, field: undefined, action }];
  return [...new Set(changes.map(({ label }) => label))].map(label => ({
    ...{ text: label, field: label, action: undefined },
  }));
}
