import { describe, expect, it } from 'vitest';
import { auditEvents } from '../../functions/changes/process-events.ts';
import { tallyOf, tallyText } from '../../functions/delivery/chat/chat-fit.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import type { ChangeEvent, FieldChange } from '../../functions/model/event.ts';
import { checkEvents } from '../kit/check-event.ts';
import {
  batches,
  change,
  commitOf,
  field,
  fieldsOf,
  type Links,
  mailOf,
  shownOf,
  slackMessages,
  teamsMessages,
  templates,
  textMessages,
} from '../kit/delivery/chat-batches.ts';

describe('topics', () => {
  it('one per process holds its new audit entries: who acted, and the first five as JSON', () => {
    const entries = Array.from({ length: 6 }, (_, index) => ({
      id: String(index).padStart(32, 'a'),
      entry: { n: index, text: 'x'.repeat(index === 0 ? 400 : 0) },
      projects: ['1'],
      tasks: [],
      users: index === 1 ? [{ id: 'u1', name: 'Eva' }, { id: 'u2' }] : [],
    }));
    const events = ['p', 'q'].flatMap(processId =>
      auditEvents({ workspace: 'eu', processId }, entries, { version: 1.7e12, at: 1.7e12 }),
    );
    const topics = chatTopics(events);
    expect(topics.map(({ title, origin }) => `${title}, ${origin}`)).toEqual([
      'Audit log, process p · workspace eu',
      'Audit log, process q · workspace eu',
    ]);
    const [topic] = topics;
    const observed = { after: 1.7e12, before: 1.7e12 };
    const eventIds = events.slice(0, 6).map(({ id }) => id);
    expect(topic).toMatchObject({ observed, records: [], eventIds });
    const [first = '', ...others] = topic?.note?.split(' · ') ?? [];
    expect(first).toMatch(/^\{"n":0,"text":"x{280,}…$/);
    expect(first).toHaveLength(300);
    expect(others).toEqual([
      'Eva, u2: {"n":1,"text":""}',
      ...[2, 3, 4].map(n => `{"n":${n},"text":""}`),
      'and 1 more',
    ]);
    const five = chatTopics(events.slice(0, 5))[0]?.note?.split(' · ');
    expect(five).toEqual([first, ...others.slice(0, 4)]);
    const cut = { ...events[0], data: { ...events[0]?.data, entry: '{"n":…' } } as never;
    expect(chatTopics([cut])[0]?.note).toBe('{"n":…');
  });

  it('one topic per project of a workspace and process, in the order of their first event', () => {
    const topics = chatTopics([
      ...commitOf([change('t', 'One', [])], { projectId: 'a', name: 'A' }),
      ...(batches.held ?? []),
      ...commitOf([change('t', 'Two', [])], { projectId: 'b', name: 'B' }),
      ...commitOf([change('t', 'Three', [])], { projectId: 'a', name: 'A', processId: 'other' }),
      ...commitOf([change('t', 'Four', [])], { projectId: 'a', name: 'A new', version: 1.8e12 }),
    ]);
    expect(topics.map(topic => [topic.title, topic.eventIds.length])).toEqual([
      ['A new', 2],
      ['Deletions are on hold', 1],
      ['B', 1],
      ['A', 1],
    ]);
  });

  it('one topic per process for what changed of its fields', () => {
    const added = { externalId: 'a', name: 'A', type: 'text' };
    const topics = chatTopics([
      ...fieldsOf([added], [{ ...added, name: 'B' }], { version: 9e12 }),
      ...commitOf([change('t', 'One', [])], { name: 'Acme' }),
      ...fieldsOf([], [added], { version: 8e12 }),
      ...fieldsOf([], [added], { processId: 'other' }),
    ]);
    expect(topics.map(({ title, records }) => [title, ...records.map(({ action }) => action)])).toEqual([
      ['Custom fields', 'created', 'updated'],
      ['Acme', 'updated'],
      ['Custom fields', 'created'],
    ]);
    expect(tallyText(tallyOf(topics[0]?.records ?? []))).toBe('2 changes in 1 field');
    expect(topics[0]?.eventIds).toHaveLength(2);
  });

  it('events by sequence, then index, whatever the order they came in; each once', () => {
    const first = commitOf(
      Array.from({ length: 12 }, (_, index) => change(`t${index}`, `${index}`, [])),
      { version: 9e12 },
    );
    const second = commitOf([change('t', 'later', [])], { version: 1e13 });
    const events = [...second, ...first.toReversed(), ...second];
    const names = Array.from({ length: 12 }, (_, index) => `${index}`);
    expect(chatTopics(events)[0]?.records.map(({ name }) => name)).toEqual([...names, 'later']);
    expect(chatTopics(events)[0]?.eventIds).toEqual([...first, ...second].map(({ id }) => id));
  });

  it.each([
    ['', 'p-1', 'Project p-1'],
    ['\u200B', 'p-1', 'Project p-1'],
    ['', '\u200B', 'Project'],
  ])('a project named %j with the id %j has the title %j', (name, projectId, title) => {
    expect(chatTopics(commitOf([change('t', '', [])], { name, projectId }))[0]?.title).toBe(title);
  });
});

function shown(fields: FieldChange[], more = {}, detail = {}): string[] {
  const [topic] = chatTopics(commitOf([change('t', 'Call', fields, more)]));
  return (topic?.records ?? []).flatMap(record => shownOf(record, { isMarked: true, ...detail }));
}

it('of a field is shown what of its definition changed', () => {
  const [topic] = chatTopics(batches.fields ?? []);
  expect((topic?.records ?? []).map(record => shownOf(record))).toEqual([
    ['Effort (hours) · task field updated', 'Name: Effort → Effort (hours)', 'Type: text → number'],
    ['Note *old* · task field archived', 'Name: Note → Note *old*'],
    ['Priority · Choices: added Urgent, removed High'],
    ['Sign-off <!here> · task field created', 'Choices: Open, Given', 'Type: single-choice'],
  ]);
});

describe('what is shown of a record', () => {
  it('empty values are told as empty, and numbers, lists and objects as text', () => {
    expect(shown([field('a', null, 'x'), field('b', 1.5, ''), field('c', ['x', 2], { d: [true] })])).toEqual([
      '*Call* · _task updated_',
      'a: _empty_ → *x*',
      'b: 1.5 → _empty_',
      'c: x, 2 → *{"d":[true]}*',
    ]);
  });

  it('choices that came and went', () => {
    const sets = (added: string[], removed: string[]) => field('Tags', null, null, { added, removed });
    expect(shown([sets(['a', 'b'], ['c']), sets(['a'], []), sets([], ['c'])]).slice(1)).toEqual([
      'Tags: added *a, b*, removed ~c~',
      'Tags: added *a*',
      'Tags: removed ~c~',
    ]);
  });

  it('values that look alike are told as JSON', () => {
    expect(shown([field('a', '1', 1), field('b', 'x\ny', 'x y')]).slice(1)).toEqual([
      'a: "1" → *1*',
      'b: "x\\ny" → *"x y"*',
    ]);
  });

  it('a deleted task is struck out; of a project the title has the name', () => {
    expect(shown([], { action: 'deleted' })).toEqual(['~Call~ · _task deleted_']);
    expect(shown([], { action: 'deleted', entity: 'project' })).toEqual(['*The project* · _deleted_']);
  });

  it('fields that find no room are counted, and so are those that the event could not carry', () => {
    const fields = ['a', 'b', 'c', 'd'].map(name => field(name, 'x', 'y'));
    expect(shown(fields, {}, { value: 60, lines: 1 })).toEqual([
      '*Call* · _task updated_',
      'a: x → *y*',
      '_and 3 more fields_',
    ]);
    const [event] = commitOf([change('t', 'Call', fields.slice(0, 1))]);
    const cut = { ...event, data: { ...event?.data, truncated: ['record', 'changes'] } } as never;
    const [record] = chatTopics([cut])[0]?.records ?? [];
    expect(record && shownOf(record).at(-1)).toBe('and more fields than an event can carry');
  });
});

const bodies = (messages: readonly { readonly body: string }[]) =>
  messages.map(({ body }) => JSON.parse(body));
const texts = (preset: string, events: readonly ChangeEvent[], links?: Links) =>
  bodies(textMessages(events, { preset }, links));
/** Messages with a line for each block, so that a difference can be read. */
const CHATS: Readonly<Record<string, (events: readonly ChangeEvent[], links?: Links) => unknown[][]>> = {
  slack: (...given) => bodies(slackMessages(...given)).map(({ blocks, ...rest }) => [rest, ...blocks]),
  teams: (...given) =>
    bodies(teamsMessages(...given)).map(({ attachments: [{ content, ...attachment }], ...rest }) => {
      const { body, ...card } = content;
      return [{ ...rest, attachments: [{ ...attachment, content: card }] }, ...body];
    }),
  discord: (...given) =>
    texts('discord', ...given).map(({ content, ...rest }) => [rest, ...content.split('\n')]),
  ntfy: (...given) => texts('ntfy', ...given).map(({ message, ...rest }) => [rest, ...message.split('\n')]),
  // One mail, with a second project.
  email: (events, links) => {
    const second = commitOf([change('t-9', 'Book a room', [field('Status', 'Open', 'Done')])], {
      ...{ projectId: 'p-2077', name: 'Summer party' },
    });
    const { text, html, ...rest } = mailOf([...events, ...second], links);
    return [[rest, ...text.split('\n'), ...html.split('\n')]];
  },
};

it('golden files: the batches are real events', () => {
  checkEvents(Object.values(batches).flat());
});

it.each(Object.keys(CHATS).flatMap(chat => [`${chat}-typical`, `${chat}-hostile`]))(
  'golden files: %s.jsonl is what is sent',
  async file => {
    const [chat = '', batch = ''] = file.split('-');
    const links = batch === 'typical' ? { linkTemplates: templates } : {};
    const lines = CHATS[chat]?.(batches[batch] ?? [], links).flat() ?? [];
    await expect(`${lines.map(line => JSON.stringify(line)).join('\n')}\n`).toMatchFileSnapshot(
      `golden/${file}.jsonl`,
    );
  },
);
