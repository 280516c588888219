import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { type eventSchemas, jsonSchemas, type sentSchemas } from '../../functions/model/event.ts';
import type { ChangeEvent, SentEvent } from '../../receiver/index.ts';

const TEXT = readFileSync(join(import.meta.dirname, '../../receiver/event.ts'), 'utf8');

/** The comments of the types, each on one line. */
const comments = [...TEXT.matchAll(/\/\*\*(.*?)\*\//gs)].map(([, text = '']) =>
  text.replace(/^ *\*/gm, '').replace(/\s+/g, ' ').trim(),
);

/** All descriptions in a JSON Schema. */
function descriptions(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : descriptions(value),
  );
}

it('the types of events are those of the schemas, no more and no less', () => {
  type OfSchemas = { -readonly [Type in keyof typeof sentSchemas]: z.infer<(typeof sentSchemas)[Type]> };
  type OfReceivers = { [Type in SentEvent['type']]: Extract<SentEvent, { type: Type }> };
  expectTypeOf<OfReceivers>().toEqualTypeOf<OfSchemas>();
  expectTypeOf<ChangeEvent['type']>().toEqualTypeOf<keyof typeof eventSchemas>();
});

it('the types of events are explained in the words of the schemas', () => {
  const all = new Set(descriptions(jsonSchemas()));
  expect(all.size).toBeGreaterThan(30);
  expect([...all].filter(text => !comments.includes(text))).toEqual([]);
});
