import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { EXAMPLE_SECRET } from '../../docs/asyncapi/example-requests.ts';
import { embedExamples } from '../../docs/embed.ts';
import { exampleTexts } from '../../docs/example-texts.ts';
import { takeExamples } from '../../docs/take-examples.ts';
import { endpointFilter } from '../../functions/config/filter.ts';
import { TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import { type ChangeEvent, eventSchemas, jsonSchemas, sentSchemas } from '../../functions/model/event.ts';
import { wants } from '../../functions/model/filter.ts';
import { messageOf } from '../../functions/topic/entry.ts';
import { type Filter, matchesFilter } from '../../local/sns/messages.ts';
import { checkEvents } from '../kit/check-event.ts';
import { deadLinks, documents, jsonBlocks, ROOT, readDocument, section } from '../kit/docs/documents.ts';

const document = readDocument('docs/events.md');
const types = Object.keys(sentSchemas);
/** What the topic has, and filters ask for. */
const published = Object.keys(eventSchemas);
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
    const matches = policies.map(policy =>
      published.filter(type => matchesFilter(policy, messageAttributesOf(type))),
    );
    expect(matches).toEqual([['task.updated'], ['project.created', 'project.deleted']]);
  });

  it('shows filters of endpoints that are taken, and want the updated task', () => {
    const filters = document
      .split('<!-- endpoint filter -->')
      .slice(1)
      .map(text => endpointFilter.parse(jsonBlocks(text)[0]));
    const wanted = filters.map(filter =>
      published.filter(type => exampleOf(type).some(event => wants(filter, event))),
    );
    expect(wanted).toEqual([['task.updated'], ['task.updated'], ['task.updated']]);
  });

  it('shows headers of a webhook that its snippet verifies, and nothing else', () => {
    const text = section(document, 'Delivery as signed webhooks') ?? '';
    const [headers = {}] = jsonBlocks(section(document, 'The headers of a webhook') ?? '') as Record<
      string,
      string
    >[];
    const [, secret] = /`(whsec_[^`]+)`/.exec(text) ?? [];
    expect(secret).toBe(EXAMPLE_SECRET);
    const body = JSON.stringify(exampleOf('task.updated')[0]);
    vi.useFakeTimers({ now: Number(headers['webhook-timestamp']) * 1000 });
    try {
      const read = snippet(text, secret);
      expect(read(body, headers)).toEqual(JSON.parse(body));
      expect(() => read(`${body} `, headers)).toThrow(/signature/);
      expect(() => snippet(text, `${secret}AAAA`)(body, headers)).toThrow();
      vi.advanceTimersByTime(301_000);
      expect(() => read(body, headers)).toThrow(/too old/);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tells the times of retries that are kept', () => {
    const { pauses, giveUpAfter } = STANDARD_TIMING;
    const told = pauses.map(ms =>
      ms < 60_000 ? `${ms / 1000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`,
    );
    const all = `${told.join(', ')}, then every ${told.at(-1)}, up to ${giveUpAfter / 86_400_000} days`;
    for (const text of [document, readDocument('docs/asyncapi.yaml')]) {
      expect(text.replace(/\s+/g, ' ')).toContain(all);
      expect(text.replace(/\s+/g, ' ')).toContain(`within ${TIMEOUT_MS / 1000} seconds`);
    }
  });
});

describe('docs/examples', () => {
  it('are what a run tells, and what the document shows: `npm run examples` makes them anew', async () => {
    const texts = exampleTexts(await takeExamples());
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

/** The function in a text's first block of JavaScript. */
function snippet(text: string, secret: string | undefined) {
  const [, code = ''] = /```js\n(.*?)\n```/s.exec(text) ?? [];
  const make = new Function('Webhook', 'secret', `${code.replace(/^import .*$/m, '')}\nreturn readWebhook;`);
  return make(Webhook, secret) as (body: string, headers: Record<string, string>) => unknown;
}

function propertiesOf(schema: unknown): Set<string> {
  if (typeof schema !== 'object' || schema === null) return new Set();
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return new Set([...own, ...Object.values(schema).flatMap(inner => [...propertiesOf(inner)])]);
}

function messageAttributesOf(type: string) {
  const [event] = exampleOf(type) as [ChangeEvent];
  return Object.fromEntries(
    Object.entries(messageOf(event).MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      { Type: DataType ?? '', Value: StringValue ?? '' },
    ]),
  );
}
