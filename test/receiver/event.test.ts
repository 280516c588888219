import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { type eventSchemas, jsonSchemas, sentSchemas } from '../../functions/model/event.ts';
import type { ChangeEvent, SentEvent } from '../../receiver/index.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';

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

/** Who exhausts the types of today needs no more to know what an event holds. */
function told(event: SentEvent): string {
  switch (event.type) {
    case 'project.created':
    case 'project.updated':
    case 'project.deleted':
      return event.data.project.id;
    case 'task.created':
    case 'task.updated':
    case 'task.deleted':
      return event.data.task.id;
    case 'field.created':
    case 'field.updated':
    case 'field.archived':
    case 'field.deleted':
      return event.data.field.externalId;
    case 'source.recovered':
      return event.data.until;
    case 'source.held':
    case 'source.stalled':
    case 'source.skipped':
      return event.data.reason;
    case 'task.due':
    case 'task.overdue':
    case 'project.due':
    case 'project.overdue':
      return event.data.value;
    case 'project.unchanged':
      return event.data.since;
    case 'audit.recorded':
      return event.data.projects.map(({ id }) => id).join();
    case 'project.snapshot':
    case 'task.snapshot':
    case 'snapshot.started':
    case 'snapshot.completed':
      return event.data.snapshot.id;
    case 'endpoint.failing':
    case 'endpoint.recovered':
    case 'endpoint.stopped':
    case 'delivery.dead':
    case 'changewire.test':
      return event.data.endpoint.name;
    default:
      return event satisfies never;
  }
}

describe('the types of events', () => {
  it('are those of the schemas, no more and no less', () => {
    type OfSchemas = { -readonly [Type in keyof typeof sentSchemas]: z.infer<(typeof sentSchemas)[Type]> };
    type OfReceivers = { [Type in SentEvent['type']]: Extract<SentEvent, { type: Type }> };
    expectTypeOf<OfReceivers>().toEqualTypeOf<OfSchemas>();
    expectTypeOf<ChangeEvent['type']>().toEqualTypeOf<keyof typeof eventSchemas>();
  });

  it('are told apart by a switch', () => {
    const types = Object.keys(sentSchemas) as ChangeEvent['type'][];
    for (const type of types) expect(told(exampleEvent(type))).not.toBe('');
  });

  it('are explained in the words of the schemas', () => {
    const all = new Set(descriptions(jsonSchemas()));
    expect(all.size).toBeGreaterThan(30);
    expect([...all].filter(text => !comments.includes(text))).toEqual([]);
  });
});
