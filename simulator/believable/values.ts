import type { Random } from '../../functions/basics/clock.ts';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { between, pick, sample } from '../data/random.ts';
import type { Field } from '../data/workspace.ts';
import type { Scenario } from './scenario.ts';

const DAY = 86_400_000;

/** The value of a date field, `days` from `now`. */
export function dateFrom(now: number, days: number): string {
  return new Date(now + days * DAY).toISOString().slice(0, 10);
}

/** The value of a number field: a decimal without rounding errors. */
export function decimal(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A believable value in wire format (service-api.md §2.3).
 *  @param days when about it is due, from `now` */
export function believableValue(
  scenario: Scenario,
  field: Field,
  random: Random,
  now: number,
  days: number,
): Json {
  switch (field.type) {
    case 'date':
      return dateFrom(now, days + between(random, -2, 2));
    case 'number': {
      const [low, high, step] = scenario.numbers[field.externalId] ?? [1, 100, 1];
      return decimal(low + step * between(random, 0, Math.floor((high - low) / step)));
    }
    case 'single-choice':
      return pick(random, field.options);
    case 'multiple-choice':
      return sample(random, field.options, between(random, 1, Math.min(3, field.options.length)));
    case 'text':
      return pick(random, scenario.texts[field.externalId] ?? ['To be agreed', 'Agreed', 'In discussion']);
  }
}

/** Values of all `fields` by `externalId`; about one in `emptyOneIn` stays empty. */
export function believableValues(
  scenario: Scenario,
  fields: readonly Field[],
  random: Random,
  now: number,
  days: number,
  emptyOneIn: number,
): JsonObject {
  const filled = fields.filter(() => random() >= 1 / emptyOneIn);
  return Object.fromEntries(
    filled.map(field => [field.externalId, believableValue(scenario, field, random, now, days)]),
  );
}
