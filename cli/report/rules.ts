import type { Json } from '../../functions/basics/json.ts';
import { knownPartsOf } from './known-texts.ts';

/** What passes into a report, by its place: a rule returns what is shown of a value, or undefined. Values without a
 *  rule are left out, so that nothing passes because it was not thought of. */
export type Rule = (value: unknown, names: Names) => Json | undefined;

/** Shows names as they are, or, in an anonymous report, the same replacement for the same name. */
export class Names {
  readonly #replacements: Map<string, Map<string, string>> | undefined;

  constructor(isAnonymous: boolean) {
    this.#replacements = isAnonymous ? new Map() : undefined;
  }

  shown(kind: string, name: string): string {
    if (!this.#replacements) return name;
    const known = this.#replacements.get(kind) ?? new Map<string, string>();
    const replacement = known.get(name) ?? `${kind}-${known.size + 1}`;
    known.set(name, replacement);
    this.#replacements.set(kind, known);
    return replacement;
  }
}

export const number: Rule = value =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const flag: Rule = value => (typeof value === 'boolean' ? value : undefined);

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** A text of this form, which only Changewire, Node or the system writes. */
export const matching =
  (form: RegExp): Rule =>
  value =>
    typeof value === 'string' && form.test(value) ? value : undefined;

/** ISO 8601. */
export const time = matching(TIME);

export const oneOf =
  (allowed: readonly string[]): Rule =>
  value =>
    allowed.find(each => each === value);

/** A name that a user or the service gave. */
export const name =
  (kind: string): Rule =>
  (value, names) =>
    typeof value === 'string' ? names.shown(kind, value) : undefined;

/** An address without user, path and query. */
export const origin: Rule = (value, names) => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url === null || url.host === '' ? undefined : names.shown('host', `${url.protocol}//${url.host}`);
};

/** A text that may quote foreign ones: only its known parts are shown. */
export const reason: Rule = value => (typeof value === 'string' ? knownPartsOf(value) : undefined);

/** Of a list, only how long it is. */
export const size: Rule = value => (Array.isArray(value) ? value.length : undefined);

export const list =
  (rule: Rule): Rule =>
  (value, names) =>
    Array.isArray(value)
      ? value.flatMap(item => {
          const shown = rule(item, names);
          return shown === undefined ? [] : [shown];
        })
      : undefined;

export const object =
  (rules: Readonly<Record<string, Rule>>): Rule =>
  (value, names) => {
    if (typeof value !== 'object' || value === null) return undefined;
    const shown = Object.entries(rules).flatMap(([key, rule]) => {
      const one = Object.hasOwn(value, key) ? rule(value[key as keyof typeof value], names) : undefined;
      return one === undefined ? [] : [[key, one] as const];
    });
    return Object.fromEntries(shown);
  };
