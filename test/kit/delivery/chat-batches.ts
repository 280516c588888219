import type { Json } from '../../../functions/basics/json.ts';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import { compareDefinitions } from '../../../functions/changes/compare-definitions.ts';
import type { RecordChange } from '../../../functions/changes/compare-project.ts';
import {
  fieldEvents,
  onHoldEvent,
  recoveredEvent,
  skippedEvent,
  stalledEvent,
} from '../../../functions/changes/process-events.ts';
import type { ChatRecord } from '../../../functions/delivery/chat/chat-topic.ts';
import { linesOf, type Run, viewOf } from '../../../functions/delivery/chat/chat-view.ts';
import { chatMessages, openFlood, openWindow } from '../../../functions/delivery/kinds.ts';
import type { EndpointSettings, LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { Actor, ChangeEvent, FieldChange, SentEvent } from '../../../functions/model/event.ts';
import type { Definitions, FieldDefinition } from '../../../functions/model/field-definition.ts';
import type { KindSettings } from '../../../functions/model/kinds.ts';
import type { Mail } from '../../../functions/model/mail.ts';

const at = Date.UTC(2026, 10, 23, 9, 30, 12);

/** A changed field; custom and single-choice unless told otherwise. */
export function field(name: string, from: Json, to: Json, more: Partial<FieldChange> = {}): FieldChange {
  return { field: name.toLowerCase(), name, kind: 'custom', type: 'single-choice', from, to, ...more };
}

/** A filled built-in field of a new record. */
export function builtIn(property: string, to: Json): FieldChange {
  const type = Array.isArray(to) ? 'array' : typeof to;
  return { field: property, name: property, kind: 'builtin', type, from: null, to };
}

/** A record that changed. */
export function change(
  id: string,
  name: string,
  fields: FieldChange[],
  more: Partial<RecordChange> = {},
): RecordChange {
  return { entity: 'task', action: 'updated', id, record: { id, name }, fields, ...more };
}

/** The events of one commit of one project; `actors` are by the ids of the records. */
export function commitOf(
  changes: RecordChange[],
  {
    projectId = 'p-1042',
    name = 'Website relaunch',
    processId = 'customer-projects',
    version = at,
    actors = {} as Readonly<Record<string, Actor[]>>,
  } = {},
): ChangeEvent[] {
  const observed = { after: at - 61_000, before: at };
  return buildEvents(
    {
      workspace: 'eu',
      processId,
      projectId,
      projectRecord: { id: projectId, name },
      version,
      observed: { project: observed, task: observed },
      actorsOf: ({ id }) => (Object.hasOwn(actors, id) ? actors[id] : undefined),
    },
    changes,
  );
}

/** The events of one reading of the definitions. */
export function fieldsOf(
  before: readonly FieldDefinition[],
  now: readonly FieldDefinition[],
  { processId = 'customer-projects', version = at } = {},
): ChangeEvent[] {
  const known: Definitions = { project: [], task: before, read: ['project', 'task'] };
  const { changes } = compareDefinitions(known, { project: [], task: now }, 'changes');
  return fieldEvents({ workspace: 'eu', processId }, changes, { version, at });
}

const priority = {
  externalId: 'priority',
  name: 'Priority',
  type: 'single-choice',
  options: ['Low', 'High'],
};

const origin = { workspace: 'eu', processId: 'customer-projects' };
const ann: Actor = { id: 'u-31', name: 'Amira Haddad' };

/** Batches of events by what they show. `test/delivery/golden/` has the messages of the first two. */
export const batches: Readonly<Record<string, readonly ChangeEvent[]>> = {
  typical: commitOf([
    change('p-1042', 'Website relaunch', [field('Phase', 'Design', 'Build')], { entity: 'project' }),
    change('t-1', 'Agree on the page structure', [field('Status', 'In progress', 'Done')]),
    change('t-2', 'Move the product pages', [
      field('Channels', ['Web', 'Partner portal'], ['Web', 'App', 'Newsletter'], {
        type: 'multiple-choice',
        added: ['App', 'Newsletter'],
        removed: ['Partner portal'],
      }),
      field('Due date', '2026-12-04', '2026-12-11', { type: 'date' }),
      field('Owner', null, 'Amira Haddad', { type: 'text' }),
    ]),
    change(
      't-3',
      'Write redirects for the old addresses',
      [
        builtIn('assignee', { id: 'u-31', name: 'Amira Haddad', email: 'amira@example.com' }),
        builtIn('createdAt', '2026-11-23T09:29:58.120Z'),
        field('Due date', null, '2026-12-11', { field: 'dueDate', type: 'date' }),
        field('Effort', null, '3', { type: 'number' }),
        builtIn('id', 't-3'),
        builtIn('name', 'Write redirects for the old addresses'),
        builtIn('position', { list: 7, rank: '0|i000ab:' }),
        field('Priority', null, 'High'),
        builtIn('projectId', 'p-1042'),
        builtIn('status', 'Open'),
      ],
      { action: 'created' },
    ),
    change('t-4', 'Order new stationery', [], {
      action: 'deleted',
      record: {
        id: 't-4',
        name: 'Order new stationery',
        assignee: { id: 'u-7', name: 'Ben Okafor' },
        status: 'Open',
        updatedAt: '2026-11-20T08:00:00Z',
      },
    }),
  ]),
  single: commitOf([change('t-1', 'Agree on the page structure', [field('Status', 'Open', 'In progress')])]),
  person: commitOf(
    [
      change('t-1', 'Agree on the page structure', [field('Status', 'Open', 'In progress')]),
      change('t-2', 'Move the product pages', [], { action: 'created' }),
    ],
    { actors: { 't-1': [ann], 't-2': [ann] } },
  ),
  people: commitOf(
    [
      change('t-1', 'Agree on the page structure', [field('Status', 'In progress', 'Done')]),
      change('t-2', 'Move the product pages', [
        field('Due date', '2026-12-04', '2026-12-11', { type: 'date' }),
        field('Owner', 'Ben', null, { type: 'text' }),
      ]),
      change('t-3', 'Write redirects', [field('Status', 'Open', null)]),
      change('t-4', 'Order new stationery', [], { action: 'deleted' }),
      change('t-5', 'Call the agency', [], { action: 'created' }),
    ],
    {
      actors: {
        't-1': [ann],
        't-2': [{ id: 'u-7', name: 'Ben Okafor' }, ann],
        't-3': [{ id: 'u-9' }],
        't-4': [ann, { id: 'u-1', name: '*<!here>* & {{DATE(' }, { id: 'u-2', name: 'דנה' }, { id: 'u-9' }],
      },
    },
  ),
  arrivals: commitOf([
    change(
      'p-1042',
      'Website relaunch',
      [
        builtIn('createdAt', '2026-11-23T09:29:58.120Z'),
        builtIn('deadline', '2026-12-24'),
        ...['Budget', 'Country', 'Segment', 'Sponsor', 'Tier'].map(name =>
          field(name, null, `${name} of ours`),
        ),
        builtIn('members', [{ id: 'u-7' }]),
        builtIn('owner', { id: 'u-31', displayName: 'Amira Haddad' }),
        builtIn('state', 'Planned'),
        builtIn('status', { id: 's-1', label: 'On <b>track</b>' }),
      ],
      { entity: 'project', action: 'created' },
    ),
    change(
      't-1',
      'Order *new* stationery',
      [
        builtIn('assignee', { id: 'u-7' }),
        builtIn('owners', [{ id: 'u-7', name: 'Ben' }, 'Chloé']),
        field('Due date', null, '2026-12-11', { field: 'cf-due', type: 'date' }),
        field('Note', null, { nested: [{ id: 7 }] }),
      ],
      { action: 'created' },
    ),
    change('t-2', 'Empty', [builtIn('id', 't-2')], { action: 'created' }),
  ]),
  hostile: [
    ...commitOf(
      [
        change(
          't-1',
          '<!channel> *bold* _it_ ~no~ `code` :tada: @here <@U123> <https://evil.example|click>',
          [
            field(
              '**Note**',
              'a & b < c > d &amp; \u0000\u0007e',
              '[click](https://evil.example) {{DATE(2026-01-01T00:00:00Z)}}',
            ),
            field('כותרת', 'שלום', 'עולם \u202Eabc'),
            field('Blank', ' \n\t ', 'one\r\ntwo \uD800'),
          ],
        ),
      ],
      {
        name: '# <!here> & *Acme* :rocket:',
        actors: {
          't-1': [ann, { id: 'u-1', name: '*<!here>* & {{DATE(' }, { id: 'u-9' }, { id: 'u-2', name: 'דנה' }],
        },
      },
    ),
    ...fieldsOf([], [{ externalId: 'sign-off', name: 'Sign-off <!here>', type: 'text', options: ['*a*'] }]),
    skippedEvent(origin, {
      ...{ version: at + 2, index: 0, at, since: at - 60_000, projectId: '<1001> *x*' },
      reason: 'GET /processes/customer-projects/projects/1001/tasks: status 403: *check* <this>',
    }),
  ],
  fields: fieldsOf(
    [
      priority,
      { externalId: 'effort', name: 'Effort', type: 'text' },
      { externalId: 'note', name: 'Note', type: 'text' },
    ],
    [
      { ...priority, options: ['Low', 'Urgent'] },
      { externalId: 'effort', name: 'Effort (hours)', type: 'number' },
      { externalId: 'note', name: 'Note *old*', type: 'text', archived: true },
      { externalId: 'sign-off', name: 'Sign-off <!here>', type: 'single-choice', options: ['Open', 'Given'] },
    ],
  ),
  held: [onHoldEvent(origin, { version: at, at, missing: 30, known: 60 })],
  outage: [
    stalledEvent(origin, {
      version: at,
      at,
      since: at - 400_000,
      reason: 'GET /processes/customer-projects/projects: status 403: access is denied; *check* <this>',
    }),
    recoveredEvent(origin, { version: at + 1, since: at - 400_000, until: at + 1 }),
    skippedEvent(origin, {
      ...{ version: at + 2, index: 0, at: at + 2, since: at - 60_000, projectId: '<1001> *x*' },
      reason: 'GET /processes/customer-projects/projects/1001/tasks: status 403: access is denied',
    }),
  ],
  many: commitOf(
    Array.from({ length: 500 }, (_, index) =>
      change(`t-${String(index % 250).padStart(3, '0')}`, `Task ${index % 250}`, [
        field(index < 250 ? 'Status' : 'Priority', 'Open', `Done ${index}`),
      ]),
    ),
  ),
};

/** The link templates of a workspace that has some. */
export const templates: LinkTemplates = [
  {
    workspace: 'eu',
    project: 'https://app.example.com/{processId}/p/{projectId}',
    task: 'https://app.example.com/{processId}/p/{projectId}?task={taskId}',
  },
];

/** The largest number from 1 to 499 for which `holds` is true; it must be true up to there and false
 *  beyond. */
export function mostOf(holds: (number: number) => boolean): number {
  let [low, high] = [1, 499];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A commit of 24 tasks, each with one change: a long one of `length`, and others of `others` characters. */
export function commitOfLengths(length: number, others: number): ChangeEvent[] {
  const value = (index: number) => (index === 0 ? 'x'.repeat(length) : 'z'.repeat(others));
  return commitOf(
    Array.from({ length: 24 }, (_, index) =>
      change(`t${index}`, `Task ${index}`, [field('F', value(index), 'y')]),
    ),
  );
}

export interface Links {
  readonly linkTemplates?: LinkTemplates | undefined;
}

export const slackMessages = (events: readonly SentEvent[], links: Links = {}) =>
  chatMessages(events, { endpoint: { name: 'ops', kind: 'slack' }, ...links });

export const teamsMessages = (events: readonly SentEvent[], links: Links = {}) =>
  chatMessages(events, { endpoint: { name: 'ops', kind: 'teams' }, ...links });

export const textMessages = (events: readonly SentEvent[], settings: KindSettings, links: Links = {}) =>
  chatMessages(events, { endpoint: { name: 'ops', kind: 'text', ...settings }, ...links });

/** The settings of an endpoint of kind `email`. */
export const MAIL_SETTINGS = {
  kind: 'email',
  from: 'changes@example.com',
  to: 'ann@example.com, team@example.com',
  digest: '08:00 UTC',
} as const;

/** The one mail of these events, as it is handed to the mail server. */
export function mailOf(events: readonly SentEvent[], links: Links = {}): Mail {
  const [message] = chatMessages(events, { endpoint: { name: 'ops', ...MAIL_SETTINGS }, ...links });
  return JSON.parse(message?.body ?? '{}') as Mail;
}

/** The one message that sums up these events. */
export function floodMessage(
  events: readonly SentEvent[],
  settings: Pick<EndpointSettings, 'kind'> & KindSettings,
  links: Links = {},
): { readonly body: string; readonly headers?: Readonly<Record<string, string>> } {
  const flood = openFlood({ endpoint: { name: 'ops', ...settings }, ...links });
  for (const event of events) flood.add(event);
  const [message] = flood.messages();
  return message?.request(0, { url: 'https://chat.example/' }) as { body: string };
}

/** The messages of what a window gathered. */
export function windowMessages(
  events: readonly SentEvent[],
  settings: Pick<EndpointSettings, 'kind'> & KindSettings,
  links: Links = {},
): { readonly body: string; readonly eventIds: readonly string[] }[] {
  const sum = openWindow({ endpoint: { name: 'ops', ...settings }, ...links });
  for (const event of events) sum.add(event);
  return sum
    .messages()
    .map(({ eventIds, request }) => ({ eventIds, ...request(0, { url: 'https://chat.example/' }) }));
}

const MARKS = { plain: '', strong: '*', struck: '~', faint: '_', good: '_', bad: '_' };

/** A record's heading and its lines. With `isMarked`, bold stands in stars, struck in tildes, coloured and faint in
 *  underscores. */
export function shownOf(record: ChatRecord, { value = 60, lines = 5, isMarked = false } = {}): string[] {
  const view = viewOf(record, linesOf(record, { value, lines }));
  const mark = (look: Run['look']) => (isMarked ? MARKS[look] : '');
  return [view.heading, ...view.lines].map(runs =>
    runs.map(({ text, look }) => mark(look) + text + mark(look)).join(''),
  );
}
