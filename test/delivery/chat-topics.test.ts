import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testEvent } from '../../functions/changes/build-events.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { healthEvent } from '../../functions/delivery/reports.ts';
import type { LinkTemplates } from '../../functions/model/endpoint.ts';
import { anyText } from '../kit/delivery/chat-arbitraries.ts';
import {
  batches,
  type change,
  commitOf,
  floodMessage,
  slackMessages,
  change as task,
  teamsMessages,
  templates,
  textMessages,
} from '../kit/delivery/chat-batches.ts';

type Changes = ReturnType<typeof change>[];

/** Where the title and each record lead. */
function linksOf(changes: Changes, options: Parameters<typeof commitOf>[1] = {}, given = templates) {
  const [topic] = chatTopics(commitOf(changes, options), given);
  return [topic?.link, ...(topic?.records ?? []).map(({ link }) => link)];
}

const PROJECT = 'https://app.example.com/customer-projects/p/p-1042';

describe('links', () => {
  it('of a workspace without templates are none', () => {
    const others: LinkTemplates = [{ workspace: 'us', project: 'https://a.example/{projectId}' }];
    expect(linksOf([task('t-1', 'T', [])], {}, others)).toEqual([undefined, undefined]);
    expect(linksOf([task('t-1', 'T', [])], {}, [])).toEqual([undefined, undefined]);
    expect(chatTopics(commitOf([task('t-1', 'T', [])]))[0]?.link).toBeUndefined();
  });

  it('lead to the project from the title, to tasks from their names, and nowhere from the project’s own line', () => {
    const changes = [task('p-1042', 'P', [], { entity: 'project' }), task('t-1', 'T', [])];
    expect(linksOf(changes)).toEqual([PROJECT, undefined, `${PROJECT}?task=t-1`]);
  });

  it('are of one kind alone where there is a template for one alone', () => {
    const [both] = templates;
    const only = (kind: 'project' | 'task') => [{ workspace: 'eu', [kind]: both?.[kind] }];
    expect(linksOf([task('t-1', 'T', [])], {}, only('project'))).toEqual([PROJECT, undefined]);
    expect(linksOf([task('t-1', 'T', [])], {}, only('task'))).toEqual([undefined, `${PROJECT}?task=t-1`]);
  });

  it('to what was deleted in the end are none, and to what came back they are', () => {
    const changed = task('t-1', 'T', []);
    const gone = task('t-1', 'T', [], { action: 'deleted' });
    const back = task('t-1', 'T', [], { action: 'created' });
    const link = `${PROJECT}?task=t-1`;
    expect(linksOf([changed, gone])).toEqual([PROJECT, undefined, undefined]);
    expect(linksOf([changed, gone, back])).toEqual([PROJECT, link, undefined, link]);
    const project = task('p-1042', 'P', [], { entity: 'project', action: 'deleted' });
    expect(linksOf([changed, project])).toEqual([undefined, undefined, undefined]);
    // An identifier may be that of a task and of a project.
    expect(linksOf([task('p-1042', 'T', [], { action: 'deleted' })])).toEqual([PROJECT, undefined]);
  });

  it('of fields and of the source itself are none', () => {
    const events = [batches.fields, batches.held].flatMap(batch => batch ?? []);
    expect(chatTopics(events, templates).map(({ link }) => link)).toEqual([undefined, undefined]);
  });

  it.each(['.', '..'])('can not be made of the identifier %j, for browsers a step in the path', id => {
    expect(linksOf([task('t-1', 'T', [])], { projectId: id })).toEqual([undefined, undefined]);
    expect(linksOf([task('t-1', 'T', [])], { processId: id })).toEqual([undefined, undefined]);
    expect(linksOf([task(id, 'T', [])])).toEqual([PROJECT, undefined]);
    expect(linksOf([task(`${id}.`, 'T', [])])[1]).toBe(id === '.' ? undefined : `${PROJECT}?task=...`);
  });

  it('of 1,000 characters are made, longer ones are not', () => {
    const most = 1_000 - `${PROJECT}?task=`.length;
    expect(linksOf([task('x'.repeat(most), 'T', [])])[1]).toHaveLength(1_000);
    expect(linksOf([task('x'.repeat(most + 1), 'T', [])])[1]).toBeUndefined();
  });

  it('whatever the identifiers are: stay on the host and in the path of their template, and tell the identifiers', () => {
    const id = anyText.map(text => text.slice(0, 90)).filter(text => text !== '');
    fc.assert(
      fc.property(id, id, id, (processId, projectId, taskId) => {
        const [, link] = linksOf([task(taskId, 'T', [])], { processId, projectId });
        fc.pre(link !== undefined);
        const { origin, pathname, searchParams, hash } = new URL(link ?? '');
        expect([origin, hash]).toEqual(['https://app.example.com', '']);
        const path = ['', processId.toWellFormed(), 'p', projectId.toWellFormed()];
        expect(pathname.split('/').map(decodeURIComponent)).toEqual(path);
        expect([...searchParams]).toEqual([['task', taskId.toWellFormed()]]);
        expect(link).toMatch(/^[\w:/.?=%~-]+$/);
      }),
    );
  });
});

const AT = Date.UTC(2026, 10, 21, 12);

it('a test event in a chat says that it is a test of this endpoint, at this time if that can be read, and that nothing changed', () => {
  const event = testEvent('crm', { at: AT, tag: '1' });
  expect(chatTopics([event])).toEqual([
    {
      title: 'This is a test',
      note: 'Changewire can deliver events here. No data was changed.',
      origin: 'endpoint crm',
      observed: { after: AT, before: AT },
      records: [],
      eventIds: [event.id],
    },
  ]);
  const untimed = { ...event, time: 'noon' };
  expect(chatTopics([untimed])[0]).toMatchObject({ title: 'This is a test', observed: undefined });
});

describe("an event about another endpoint's health in a chat", () => {
  it('is one line with its name, why and since when', () => {
    const since = AT - 90 * 60_000;
    const reports = [
      { type: 'endpoint.failing', since, reason: 'answered 503 <!channel>' },
      { type: 'endpoint.recovered', since },
      { type: 'endpoint.stopped', since: AT, reason: 'answered 410' },
      { type: 'delivery.dead', since, reason: 'answered 400', deliveries: 1_234 },
    ] as const;
    const events = reports.map((report, index) =>
      healthEvent(
        { name: 'crm', kind: 'webhook' },
        { ...report, version: AT + index, depth: 0, at: AT, origin: 'https://crm.example.com' },
      ),
    );
    const at = 'crm, https://crm.example.com';
    const topics = chatTopics(events);
    expect(topics.map(({ title }) => title)).toEqual([
      ...['An endpoint is failing', 'An endpoint accepts events again'],
      ...['An endpoint is stopped', 'Events were given up'],
    ]);
    expect(topics.map(({ note }) => note)).toEqual([
      `${at}: failing since 2026-11-21 10:30 UTC: answered 503 <!channel>. Its events are queued.`,
      `${at}: works again, after a problem since 2026-11-21 10:30 UTC. Its queued events are sent.`,
      `${at}: stopped since 2026-11-21 12:00 UTC: answered 410. Its events are queued until an operator resumes it.`,
      `${at}: 1,234 given up since 2026-11-21 10:30 UTC, and kept as dead letters: answered 400`,
    ]);
    expect(topics[0]).toMatchObject({ origin: 'endpoint crm', observed: { after: since, before: AT } });
    for (const all of [slackMessages(events), teamsMessages(events), textMessages(events, {})])
      expect(all.map(({ eventIds }) => eventIds)).toEqual(events.map(({ id }) => [id]));
    expect(JSON.stringify(slackMessages(events))).not.toContain('<!channel>');
    const pulled = healthEvent(
      { name: 'crm', kind: 'pull' },
      { ...reports[1], version: AT, depth: 0, at: AT },
    );
    expect(chatTopics([pulled])[0]?.note).toMatch(/^crm: works again/);
  });

  it('is counted by what happened in a summary of many', () => {
    const count = (type: Parameters<typeof healthEvent>[1]['type'], many: number, from: number) =>
      Array.from({ length: many }, (_, index) =>
        healthEvent(
          { name: `crm${index}`, kind: 'webhook' },
          { type, version: from + index, depth: 0, at: AT, since: AT, reason: 'no', deliveries: 1 },
        ),
      );
    const events = [
      ...count('delivery.dead', 2, 200),
      ...count('endpoint.stopped', 3, 300),
      ...count('endpoint.recovered', 1, 400),
      ...count('endpoint.failing', 60, 100),
    ];
    expect(floodMessage(events, { kind: 'slack' }).body).toContain(
      '60 failing endpoints · 1 recovered endpoint · 3 stopped endpoints · 2 reports of dead letters',
    );
  });
});
