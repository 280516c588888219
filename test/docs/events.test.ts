import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { embedExamples } from '../../docs/embed.ts';
import { prettyJson } from '../../docs/pretty-json.ts';
import { takeExamples } from '../../docs/take-examples.ts';
import { type ChangeEvent, eventSchemas } from '../../functions/changes/event.ts';
import { jsonSchemas } from '../../functions/changes/json-schemas.ts';
import { messageOf } from '../../functions/topic/entry.ts';
import { checkFilter, type Filter, matchesFilter } from '../../local/sns/filter.ts';
import { checkEvents } from '../support/check-event.ts';
import { deadLinks, documents, jsonBlocks, ROOT, readDocument, section } from './support.ts';

const document = readDocument('docs/events.md');
const types = Object.keys(eventSchemas);
const exampleOf = (type: string) =>
  jsonBlocks(section(document, type) ?? '').filter(
    value => (value as { type?: unknown }).type === type,
  ) as ChangeEvent[];

describe('docs/events.md', () => {
  it.each(types)('has a section on %s, with an example that is valid', type => {
    expect(checkEvents(exampleOf(type))).toHaveLength(1);
    expect(document).toContain(`(schemas/${type}.json)`);
  });

  it('has examples of nothing else', () => {
    const told = jsonBlocks(document).flatMap(value => (value as { type?: string }).type ?? []);
    expect(told.sort()).toEqual([...types].sort());
  });

  it('explains every field of every schema in a table', () => {
    const text = ['Fields of every event', 'Fields of `data`']
      .map(title => section(document, title))
      .join('\n');
    const explained = new Set(rowsOf(text).flatMap(namesIn));
    const missing = [...propertiesOf(Object.values(jsonSchemas()))].filter(name => !explained.has(name));
    expect(missing).toEqual([]);
  });

  it('explains every message attribute', () => {
    const [updated] = exampleOf('task.updated') as [ChangeEvent];
    const { MessageAttributes } = messageOf(updated);
    const text = section(document, 'Message attributes and filter policies') ?? '';
    expect(jsonBlocks(text)[0]).toEqual(MessageAttributes);
    for (const name of Object.keys(MessageAttributes)) expect(rowsOf(text).map(first)).toContainEqual([name]);
  });

  it('shows filter policies that SNS takes and that match what they say', () => {
    const policies = document
      .split('<!-- filter -->')
      .slice(1)
      .map(text => jsonBlocks(text)[0] as Filter);
    for (const policy of policies) checkFilter(policy);
    const matches = policies.map(policy => types.filter(type => matchesFilter(policy, attributesOf(type))));
    expect(matches).toEqual([['task.updated'], ['project.created', 'project.deleted']]);
  });
});

describe('docs/examples', () => {
  it('are what a run tells, and what the document shows: `npm run examples` makes them anew', async () => {
    const { events, attributes } = await takeExamples();
    const made = Object.entries({ ...events, 'message-attributes': attributes });
    const texts = new Map(made.map(([name, value]) => [name, `${prettyJson(value)}\n`]));
    const files = readdirSync(join(ROOT, 'docs/examples'));
    expect(files.sort()).toEqual([...texts.keys()].map(name => `${name}.json`).sort());
    for (const [name, text] of texts) expect(readDocument(`docs/examples/${name}.json`)).toBe(text);
    expect(embedExamples(document, texts)).toBe(document);
  });

  it('follow from one another as the document says', () => {
    const [created, task] = [exampleOf('project.created')[0], exampleOf('task.created')[0]];
    const [gone, updated] = [exampleOf('project.deleted')[0], exampleOf('task.updated')[0]];
    expect(task?.sequence).toBe(created?.sequence);
    expect(Number(updated?.sequence)).toBeGreaterThan(Number(task?.sequence));
    expect(Number(gone?.sequence)).toBeGreaterThan(Number(updated?.sequence));
  });
});

describe('the documents', () => {
  it.each(documents())('%s links to nothing that is not there', path => {
    expect(deadLinks(path)).toEqual([]);
  });
});

/** The rows of tables that begin with a name. */
function rowsOf(text: string): string[] {
  return text.split('\n').filter(line => line.startsWith('| `'));
}

function first(row: string): string[] {
  return namesIn(row.split('|')[1]);
}

function namesIn(text = ''): string[] {
  return [...text.matchAll(/`([a-z]+)`/gi)].map(([, name]) => name as string);
}

function propertiesOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return new Set([...own, ...Object.values(schema).flatMap(inner => [...propertiesOf(inner)])]);
}

function attributesOf(type: string) {
  const [event] = exampleOf(type) as [ChangeEvent];
  return Object.fromEntries(
    Object.entries(messageOf(event).MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      { Type: DataType ?? '', Value: StringValue ?? '' },
    ]),
  );
}
