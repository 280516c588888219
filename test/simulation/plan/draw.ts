import fc from 'fast-check';

/** What an arbitrary draws, as data that stays as it is. Plans that are written by hand take any numbers. */
export type Drawn<From> = From extends fc.Arbitrary<infer Value> ? Data<Value> : never;

type Data<Value> = Value extends number
  ? number
  : Value extends boolean
    ? boolean
    : Value extends object
      ? { readonly [Key in keyof Value]: Data<Value[Key]> }
      : Value;

type Weighted = readonly [weight: number, arbitrary: fc.Arbitrary<unknown>];

/** One of these, each as often as its weight says. */
export function weighted<const Of extends readonly Weighted[]>(...of: Of) {
  type Value = Of[number][1] extends fc.Arbitrary<infer Each> ? Each : never;
  return fc.oneof(...of.map(([weight, arbitrary]) => ({ weight, arbitrary }))) as fc.Arbitrary<Value>;
}

/** Undefined so many times for each time that it is drawn. */
export function seldom<Value>(times: number, arbitrary: fc.Arbitrary<Value>) {
  return weighted([times, fc.constant(undefined)], [1, arbitrary]);
}

export function yes(times: number, no: number) {
  return weighted([times, fc.constant(true)], [no, fc.constant(false)]);
}

export function some<Value>(arbitrary: fc.Arbitrary<Value>, minLength: number, maxLength: number) {
  return fc.array(arbitrary, { minLength, maxLength, size: 'max' });
}

export function between(min: number, max: number) {
  return fc.integer({ min, max });
}

/** `more` among the steps, from this place on. */
export function inserted<Step>(steps: readonly Step[], place: number, ...more: readonly Step[]): Step[] {
  return [...steps.slice(0, place), ...more, ...steps.slice(place)];
}
