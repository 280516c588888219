import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { EXAMPLE_SECRET } from '../../docs/asyncapi/example-requests.ts';
import { embedExamples } from '../../docs/embed.ts';
import { embedLists } from '../../docs/event-tables.ts';
import { exampleTexts } from '../../docs/example-texts.ts';
import { readExamples } from '../../docs/read-examples.ts';
import { takeExamples } from '../../docs/take-examples.ts';
import { endpointFilter } from '../../functions/config/filter.ts';
import { TIMEOUT_MS } from '../../functions/delivery/http/post.ts';
import { STANDARD_TIMING } from '../../functions/delivery/retries.ts';
import {
  type EventType,
  eventSchemas,
  jsonSchemas,
  type SentEvent,
  sentSchemas,
  unionSchema,
} from '../../functions/model/event.ts';
import { wants } from '../../functions/model/filter.ts';
import { messageOf } from '../../functions/topic/send-batch.ts';
import { type Filter, matchesFilter } from '../../local/sns/messages.ts';
import { checkEvents } from '../kit/check-event.ts';
import { jsonBlocks, ROOT, readDocument, section } from '../kit/docs/documents.ts';

const document = readDocument('docs/events.md');
const page = readDocument('docs/receiving.md');
const types = Object.keys(sentSchemas) as SentEvent['type'][];
/** The types that the topic has, and that filters may name. */
const published = Object.keys(eventSchemas) as EventType[];
const { events } = readExamples();
/** The names in the markers of examples, in their order. */
const examplesIn = (text: string) =>
  [...text.matchAll(/<!-- example: (\S+)(?: \S+)* -->/g)].map(([, name = '']) => name);

describe('docs/events.md', () => {
  it.each(types)('has a section on %s, with a part of an example that is valid', type => {
    expect(checkEvents([events[type]])).toHaveLength(1);
    expect(examplesIn(section(document, type) ?? '')).toEqual([type]);
    expect(document).toContain(`(schemas/${type}.json), [example](examples/${type}.json)`);
  });

  it('has a schema of all events, event.json, which accepts each example by its type alone', () => {
    const union = new Ajv2020({ allErrors: true });
    formats.default(union);
    const validate = union.compile(unionSchema());
    const all = types.map(type => events[type]);
    expect(all.filter(event => !validate(event))).toEqual([]);
    expect(all.filter(event => validate({ ...event, type: 'other' }))).toEqual([]);
    const schemas = Object.values({ ...jsonSchemas(), event: unionSchema() });
    const ids = schemas.map(schema => '$id' in schema && schema.$id);
    expect(ids).toEqual([...types, 'event'].map(name => `urn:changewire:schema:${name}`));
  });

  it('has no JSON that nothing checks', () => {
    const [examples, all] = [examplesIn(document), jsonBlocks(document).length];
    expect(new Set(examples)).toEqual(new Set([...types, 'message-attributes', 'webhook-headers']));
    const filters = document.split(/<!-- (?:endpoint )?filter -->/).length - 1;
    expect(examples.length + filters).toBe(all);
  });

  it('has the lists that follow from the schemas: `npm run schemas` writes them', () => {
    expect(embedLists(document)).toBe(document);
    const lists = [...document.matchAll(/<!-- list: (\S+) -->/g)].map(([, name]) => name);
    expect(lists.sort()).toEqual([
      ...['audit', 'change', 'definitions', 'due', 'envelope', 'health', 'property-change', 'records'],
      ...['snapshot', 'source', 'test', 'types'],
    ]);
    expect(() => embedLists('<!-- list: other -->\n')).toThrow('Unknown list "other"');
  });

  it('explains every field of every schema in a list', () => {
    const explained = new Set(itemsOf(document).flatMap(pathIn).concat('data'));
    const missing = [...propertiesOf(Object.values(jsonSchemas()))].filter(name => !explained.has(name));
    expect(missing).toEqual([]);
  });

  it('explains every message attribute', () => {
    const { MessageAttributes } = messageOf(events['task.updated']);
    const text = section(document, 'Message attributes and filter policies') ?? '';
    expect(jsonBlocks(text)[0]).toEqual(MessageAttributes);
    for (const name of Object.keys(MessageAttributes)) expect(text).toContain(`\n- \`${name}\`: `);
  });

  it('shows filter policies that SNS takes and that match what they describe', () => {
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
    const wanted = filters.map(filter => published.filter(type => wants(filter, events[type])));
    expect(wanted).toEqual([['task.updated'], ['task.updated'], ['task.updated']]);
  });

  it('shows headers of a webhook that its snippet verifies, and nothing else', () => {
    const text = section(document, 'Delivery as signed webhooks') ?? '';
    const shown = jsonBlocks(section(document, 'The headers of a webhook') ?? '');
    const [headers = {}] = shown as Record<string, string>[];
    const [, secret] = /`(whsec_[^`]+)`/.exec(text) ?? [];
    expect(secret).toBe(EXAMPLE_SECRET);
    const body = JSON.stringify(events['task.updated']);
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

  it('has the times of retries in the code', () => {
    const { pauses, giveUpAfter } = STANDARD_TIMING;
    const times = pauses.map(ms =>
      ms < 60_000 ? `${ms / 1000} s` : ms < 3_600_000 ? `${ms / 60_000} min` : `${ms / 3_600_000} h`,
    );
    const all = `${times.join(', ')}, then every ${times.at(-1)}, up to ${giveUpAfter / 86_400_000} days`;
    const [reference, receiving, asyncApi] = [document, page, readDocument('docs/asyncapi.yaml')].map(text =>
      text.replace(/\s+/g, ' '),
    );
    for (const text of [reference, asyncApi]) expect(text).toContain(all);
    for (const text of [reference, receiving, asyncApi])
      expect(text).toContain(`within ${TIMEOUT_MS / 1000} seconds`);
  });
});

describe('docs/examples', () => {
  it('are those of a run, and the pages show them: `npm run examples` writes both', async () => {
    const texts = exampleTexts(await takeExamples());
    const files = readdirSync(join(ROOT, 'docs/examples'));
    expect(files.sort()).toEqual([...texts.keys()].map(name => `${name}.json`).sort());
    for (const [name, text] of texts) expect(readDocument(`docs/examples/${name}.json`)).toBe(text);
    for (const text of [document, page]) expect(embedExamples(text, texts)).toBe(text);
    expect(examplesIn(page)).toHaveLength(jsonBlocks(page).length);
  });
});

/** The items of lists that begin with a name. */
function itemsOf(text: string): string[] {
  return text.split('\n').filter(line => line.startsWith('- `'));
}

/** The names in the path that an item begins with: `actors[].id` has two. */
function pathIn(item: string): string[] {
  const [, path = ''] = /^- `([^`]+)`/.exec(item) ?? [];
  return path.replaceAll('[]', '').split('.');
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

function messageAttributesOf(type: EventType) {
  return Object.fromEntries(
    Object.entries(messageOf(events[type]).MessageAttributes).map(([name, { DataType, StringValue }]) => [
      name,
      { Type: DataType ?? '', Value: StringValue ?? '' },
    ]),
  );
}
