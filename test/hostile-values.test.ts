import { describe, it } from 'vitest';
import type { Json } from '../functions/basics/json.ts';
import { deep, expectLinearIn, TEXTS, testAnswersWith, UNITS, VALUES } from './kit/hostile-values.ts';

const MAX_LENGTH = 2 ** 16;

describe('a text of up to 64 KB takes time in proportion to its length, whatever it is made of', () => {
  it.each(Object.keys(TEXTS))('%s', name => {
    for (const unit of UNITS) expectLinearIn(name, unit, MAX_LENGTH);
  });
});

describe('JSON of 20,000 levels overflows no stack', () => {
  it.each(Object.entries(VALUES))('%s', (_, take) => {
    for (const json of deep) take(json, JSON.parse(json) as Json);
  });
});

describe.each(deep.map(value => [value]))('a value of 20,000 levels (%#)', testAnswersWith);
