import { expect, it } from 'vitest';
import * as z from 'zod';
import { eventText } from '../../cli/show/events.ts';
import { wrap } from '../../cli/show/wrap.ts';
import { changeLine } from '../../console/model/change-line.ts';
import { csv, fileName } from '../../console/model/csv.ts';
import { csvRows, entryOf, historyJson } from '../../console/model/history.ts';
import { prettyJson } from '../../console/model/json-view.ts';
import { parseHttpDate, parseRetryAfter } from '../../functions/basics/http-date.ts';
import { type Json, type JsonObject, parseAnswer } from '../../functions/basics/json.ts';
import { compareProject, rulesOf } from '../../functions/changes/compare-project.ts';
import { ignoredFields, updateTime } from '../../functions/changes/ignored-fields.ts';
import { deployedOf, readConfigs } from '../../functions/config/read.ts';
import { harmless, quote } from '../../functions/delivery/http/quote.ts';
import { readEvent } from '../../functions/delivery/read-event.ts';
import { entryTimes, pathsNaming } from '../../functions/doctor/survey.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { decodePart, encodePart } from '../../functions/model/event-id.ts';
import { wants } from '../../functions/model/filter.ts';
import { readRequest } from '../../functions/operations/operations.ts';
import { cursorTo, readCursor } from '../../functions/operations/page.ts';
import { factsOf } from '../../functions/pass/audit-log/entry-facts.ts';
import { TimeSample } from '../../functions/pass/audit-log/log-reading.ts';
import { namesIn } from '../../functions/pass/audit-log/names.ts';
import { createSecrets } from '../../functions/service/context.ts';
import { readDefinitions } from '../../functions/service/definitions.ts';
import { excerpt, keysOf, propertyPath } from '../../functions/service/describe.ts';
import { parseJson } from '../../functions/service/parse.ts';
import { readTokenAnswer } from '../../functions/service/token-answer.ts';
import { messageOf } from '../../functions/topic/send-batch.ts';
import { printable } from '../../local/terminal/text.ts';
import { parseEvent, parseObject } from '../../receiver/parse-event.ts';
import { change, commitOf, field, slackMessages, teamsMessages } from './delivery/chat-batches.ts';
import { expectLinear } from './linear.ts';
import { all, failureOf, rig } from './service/connect.ts';
import { type Behaviour, SERVICE_DATE } from './service/server.ts';

/** What a long text is made of: characters that expressions for numbers, times, names, markup and cells begin or repeat. */
export const UNITS = [' ', '\t', '0', '1,', '-', '"', '\\', 'aA', '](', '\u0301', '\u202e', '\ud800'];
export const paper = { colour: false, width: 120, now: 0, place: '' };
const hidden = 'https://hooks.example.com/services/T0123456/B0123456/abcdefghijklmnop';
const secret = { url: hidden, secrets: ['whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXo='] };

export const TYPES = ['text', 'number', 'date', 'single-choice', 'multiple-choice'];
const rules = rulesOf(
  { project: TYPES.map(type => ({ externalId: type, name: type, type })), task: [] },
  ignoredFields([]),
);

export function compared(from: JsonObject, to: JsonObject) {
  const content = (record: JsonObject) => ({ record, tasks: new Map() });
  return compareProject('1', content(from), content(to), rules);
}

function orderOf(entry: JsonObject) {
  const sample = new TimeSample();
  sample.add([entry, entry, entry, entry, entry]);
  return sample.order;
}

const [EVENT] = commitOf([change('1', 'name', [])]) as [ChangeEvent];

/** An event whose names, values, actors and record are this text; uncut, as no event that is sent could be. */
function eventOf(text: string): ChangeEvent {
  const fields = [field(text, `${text}1`, `${text}2`), field('list', [text], [text, '1'])];
  const named = { id: text, name: text };
  const data = { ...EVENT.data, project: named, task: { ...named, record: { text } }, actors: [named] };
  return { ...EVENT, data: { ...data, changes: fields } } as unknown as ChangeEvent;
}

const committed = (text: string) =>
  ({ committedAt: '2026-01-01T00:00:00.000Z', event: eventOf(text) }) as never;

/** Everything that takes a text from outside. */
export const TEXTS: Readonly<Record<string, (text: string) => unknown>> = {
  'an answer of the service': text => [
    parseJson(`{"a":${text}1e400}`),
    parseJson(JSON.stringify({ a: text, b: 1e300 })),
    parseJson(`{"a":"${text}`),
  ],
  'a header of the service': text => [parseHttpDate(`Mon${text}x`), parseRetryAfter(`1${text}x`, 0)],
  'a token': text =>
    readTokenAnswer(
      'POST',
      { access_token: `a${text.replace(/[^!-~]/g, 'x')}`, expires_in: text },
      {
        now: 0,
        hide: each => each,
      },
    ),
  'an error that shows the text': text => {
    const secrets = createSecrets();
    secrets.add('aaaaaaaaaaaaaaaaaaab');
    return [excerpt(text), keysOf({ [text]: 1 }), propertyPath('$', text), secrets.hide(text)];
  },
  'an identifier': text => decodePart(encodePart(text)),
  'a definition': text =>
    readDefinitions({ externalId: text, type: text, name: text, options: [text], status: text }),
  'an audit entry': text => {
    const entry = { [text]: text, user: text, task: { id: `${text}x` }, at: `2026-01-01T00:${text}Z` };
    return [factsOf(entry, 0), namesIn([entry]), orderOf(entry)];
  },
  'what the doctor reads': text => [
    pathsNaming([{ [text]: text }], new Set(['x'])),
    entryTimes([{ a: text, b: `2026-01-01T00:00${text}` }]),
    updateTime({ updatedAt: `${text}2026-01-01T` }),
  ],
  'a comparison': text => compared(fieldsOf(`${text}1`), fieldsOf(`${text}2`)),
  'an event with a filter, and as an SNS message': text => {
    const event = eventOf(text);
    const values = [{ field: text, from: [1, `${text}1`], to: ['x'] }];
    const tests = { contains: ['x'], above: 1, after: 'today', moved: 'more', became: { in: [1] } } as const;
    const where = Object.entries(tests).map(([test, one]) => ({ [text]: { [test]: one } }));
    return [
      wants({ fields: ['x'], values, actors: ['x'] }, event),
      wants({ where }, event),
      messageOf(event),
    ];
  },
  'a Slack message': text => slackMessages([eventOf(text)]),
  'a Teams card': text => teamsMessages([eventOf(text)]),
  'a terminal': text => [eventText(committed(text), paper as never), wrap(printable(text), 80, 3)],
  'a line of the console': text => [changeLine(committed(text)), prettyJson({ [text]: text })],
  'a CSV file': text => [csv(['a'], csvRows([entryOf(committed(text))])), fileName([text, 'x'], 'csv')],
  'an answer of an endpoint': text => [quote(text, secret), harmless(`${text}x`, secret)],
  'an event at a receiver': text => refusedOr(() => parseEvent(JSON.stringify(eventOf(text)))),
  'a message of a queue': text => [readEvent(text), readEvent(JSON.stringify(eventOf(text)))],
  'a request of an operation': text => [
    refusedOr(() => readRequest({ operation: text, [text]: text })),
    refusedOr(() => readRequest({ operation: 'events', cursor: text, process: text, [text]: text })),
    refusedOr(() => readCursor('events', text, z.string())),
    readCursor('events', cursorTo('events', text).cursor, z.string()),
  ],
  'a configuration': text => [
    refusedOr(() => readConfigs({ stackName: text, [text]: text, endpoints: [{ name: text, url: text }] })),
    refusedOr(() => deployedOf(text)),
  ],
};

function fieldsOf(text: string): JsonObject {
  return { ...Object.fromEntries(TYPES.map(type => [type, text])), name: text, [text]: text, list: [text] };
}

/** The answer; undefined where the value is refused. An overflow of the stack is no refusal. */
function refusedOr<Answer>(ask: () => Answer): Answer | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/** Measures what takes a text of up to `maxLength` characters that is made of this unit. Memory that is taken is written to, so what takes
 *  linear time takes linear memory, too. */
export function expectLinearIn(name: string, unit: string, maxLength?: number): void {
  const start = UNITS.indexOf(unit) % 2 === 0 ? '' : 'x';
  const text = (length: number) => `${start}${unit.repeat(length / unit.length)}x`;
  expectLinear(length => TEXTS[name]?.(text(length)), JSON.stringify(unit), maxLength);
}

const DEEP = 20_000;
export const deep = [
  `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`,
  `${'{"a":'.repeat(DEEP)}1e400${'}'.repeat(DEEP)}`,
];
/** 1 MB of members. */
export const wide = [
  `[${'0,'.repeat(500_000)}0]`,
  `[${'[],'.repeat(300_000)}[]]`,
  `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":"${n}"`).join()}}`,
];

/** Everything that takes JSON from outside. The service's JSON is tried below, through the client. */
export const VALUES: Readonly<Record<string, (json: string, value: Json) => unknown>> = {
  'an answer of the service': json => parseJson(`{"a":1e400,"b":${json}}`),
  'a definition': (_, value) =>
    readDefinitions({ externalId: 'f', type: 'text', name: value, options: [value], status: value }),
  'a request of an operation': (_, value) => [
    refusedOr(() => readRequest(value)),
    refusedOr(() => readRequest({ operation: 'events', filter: { values: [value] }, cursor: value })),
  ],
  'a cursor': json => refusedOr(() => readCursor('a', base64(`["a",${json}]`), z.looseObject({}))),
  'a configuration': (json, value) => [
    refusedOr(() => readConfigs(value)),
    refusedOr(() => readConfigs({ workspaces: [{ name: 'a', processes: [value] }], endpoints: [value] })),
    refusedOr(() => deployedOf(json)),
  ],
  'a message of a queue': json => [readEvent(json), readEvent(bodyWith(json))],
  'an event with a filter': (_, value) => {
    const tests = [{ in: [''] }, { contains: ['a'] }, { above: 1 }, { moved: 'later' as const }];
    const where = tests.map(each => ({ f: { ...each, before: 'today' } }));
    return [
      wants({ values: [{ field: 'f', from: ['a'], to: [1] }] }, eventWith(value)),
      wants({ where }, eventWith(value)),
    ];
  },
  'an event at a receiver': json => [
    refusedOr(() => parseEvent(bodyWith(json))),
    refusedOr(() => parseObject(json, 'It')),
  ],
  'an event of an answer, on a terminal and in the console': json => {
    const committed = {
      committedAt: '2026-01-01T00:00:00.000Z',
      event: parseAnswer(bodyWith(json)),
    } as never;
    const entries = [entryOf(committed)];
    const shown = [changeLine(committed), csv(['a'], csvRows(entries)), historyJson(entries)];
    return [...shown, eventText(committed, paper as never), prettyJson(parseAnswer(json))];
  },
  'an event that a chat shows': json => {
    const read = readEvent(bodyWith(json));
    return 'malformed' in read ? read : [slackMessages([read.event]), teamsMessages([read.event])];
  },
};

const base64 = (text: string) => Buffer.from(text).toString('base64url');

/** The JSON of an event with this value wherever an event has one. */
function bodyWith(json: string): string {
  return JSON.stringify(eventWith('VALUE')).replaceAll('"VALUE"', json);
}

function eventWith(value: Json): ChangeEvent {
  const data = { ...EVENT.data, task: { id: '1', name: 'a', record: { value } }, entry: value };
  const changes = [field('f', value, null), field('list', [value], [value, '1'])];
  return { ...EVENT, data: { ...data, changes } } as unknown as ChangeEvent;
}

/** Declares the tests of a service that answers with this value where it should not. */
export function testAnswersWith(value: string): void {
  const answer =
    (body: string): Behaviour =>
    response =>
      response.writeHead(200, { date: SERVICE_DATE }).end(body);
  const record = `{"id":"a","v":${value}},{"id":"b"},{"id":"a","v":${value},"w":1}`;

  it('in a record leaves the others of its page usable', async () => {
    const { service } = await rig(
      answer(`{"projects":[${record}],"paging":{"hasNextPage":false,"x":${value}}}`),
    );
    expect((await all(service.projects('p'))).filter(({ flaw }) => !flaw).map(({ id }) => id)).toContain('b');
  });

  it('in an audit entry leaves all entries readable', async () => {
    const { service } = await rig(answer(`{"entries":[${record}],"paging":{"hasNextPage":false}}`));
    const entries = await all(service.auditLog('p'));
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b', 'a']);
    for (const entry of entries)
      for (const read of [JSON.stringify(entry), factsOf(entry, 0), namesIn([entry]), orderOf(entry)])
        expect(read).not.toBe(0);
    expect(pathsNaming(entries, new Set(['b']))).toContain('id');
  });

  it('in place of anything else is refused by an error of the service, or passed over', async () => {
    const definition = `{"externalId":"f","type":"text","name":${value},"options":[${value}],"x":${value}}`;
    const { service } = await rig(answer(`{"fields":[${definition}],"x":${value}}`));
    expect(await service.coverpage('p')).toMatchObject([{ externalId: 'f', type: 'text' }]);
    const paging = `{"hasNextPage":${value},"endCursor":${value}}`;
    const wrong = await rig(
      answer(`{"projects":${value},"paging":${paging},"id":${value},"access_token":${value}}`),
    );
    const asked = [() => all(wrong.service.projects('p')), () => wrong.service.user('u')];
    for (const ask of asked) expect((await failureOf(ask())).name).toMatch(/^Service\w+Error$/);
    const refused = await rig(answer('{}'), {
      token: answer(`{"access_token":${value},"expires_in":${value}}`),
    });
    expect((await failureOf(refused.service.user('u'))).name).toBe('TokenError');
  });
}
