import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { Actor, AuditEvent, ChangeEvent } from '../../../functions/model/event.ts';
import { type Shown, visible } from '../../kit/delivery/shown.ts';
import { address, type RecordEvent } from './check-links.ts';
import { noteOf, SOURCE_TITLES, timesOf } from './check-message.ts';
import type { Folded } from './fold.ts';
import { countOf, inOrder } from './items.ts';
import { differ, isCutOf, namesActors, originOf } from './tells.ts';

/** So many changes are told one by one. */
const MOST_TOLD = 50;
const TITLE_LIMIT = 138;
const PLACES = 10;

/** Of one and of several. */
const WORDS = {
  'source.held': 'hold of deletions/holds of deletions',
  'source.stalled': 'outage/outages',
  'source.skipped': 'skipped project/skipped projects',
  'source.recovered': 'recovery/recoveries',
  'project.created': 'project created/projects created',
  'project.deleted': 'project deleted/projects deleted',
  'project.updated': 'change of projects/changes of projects',
  'task.created': 'task created/tasks created',
  'task.deleted': 'task deleted/tasks deleted',
  'task.updated': 'change of tasks/changes of tasks',
  'task.due': 'task due/tasks due',
  'task.overdue': 'task overdue/tasks overdue',
  'project.due': 'project due/projects due',
  'project.overdue': 'project overdue/projects overdue',
  'project.unchanged': 'unchanged project/unchanged projects',
  'field.created': 'field created/fields created',
  'field.archived': 'field archived/fields archived',
  'field.deleted': 'field deleted/fields deleted',
  'field.updated': 'change of fields/changes of fields',
  'audit.recorded': 'audit entry/audit entries',
} as const;

/** Whether a message looks like a summary of many changes. */
export function isSummary({ title }: Shown): boolean {
  return /^[\d,]+ changes(?: in [\d,]+ projects?)?$/.test(title);
}

/** What is wrong with a summary of these events, in the order in which they wait, each once. It must count every change once. */
export function floodFault(
  shown: Shown,
  events: readonly ChangeEvent[],
  templates: LinkTemplates = [],
  folded?: Folded,
): string | undefined {
  const total = sumOf(events);
  if (total <= MOST_TOLD && !(folded && new Set(events.map(keyOf)).size > PLACES))
    return `sums up ${total} changes, which are told one by one`;
  const places = [...Map.groupBy(events, keyOf).values()].toSorted((one, other) => sumOf(other) - sumOf(one));
  const projects = places.filter(([first]) => first && isOfProject(first)).length;
  const origins = new Set(events.map(({ source }) => source));
  const title = `${counted(total, 'change')}${projects > 0 ? ` in ${counted(projects, 'project')}` : ''}`;
  const workspaces = new Set([...origins].map(source => source.split('/')[2]));
  const where = workspaces.size === 1 ? `workspace ${[...workspaces]}` : `${workspaces.size} workspaces`;
  const [note, ...rest] = shown.paragraphs;
  const text = [typesOf(events), (folded && noteOf(folded)) ?? []].flat().join(' · ');
  const actors = actorsIn(events);
  const by = actors.length > 0 ? rest[0] : undefined;
  const listed = rest.slice(by ? 1 : 0);
  const isLast = /^and [\d,]+ more · [\d,]+ changes?$/.test(listed.at(-1)?.heading ?? '');
  const more = isLast ? listed.at(-1)?.heading : undefined;
  const headings = isLast ? listed.slice(0, -1) : listed;
  const left = places.slice(headings.length);
  return (
    differ('title', shown.title, title) ??
    differ('link', shown.link, undefined) ??
    differ(
      'summary',
      shown.summary,
      origins.size > 1 ? `${origins.size} processes · ${where}` : originOf(events[0] as ChangeEvent),
    ) ??
    differ('times', shown.times.join(), timesOf(events).join()) ??
    differ('other text', shown.instead ?? title, title) ??
    differ('counts', note?.heading, text) ??
    differ('notification', visible(shown.notification).slice(0, 200), `${title}: ${text}`.slice(0, 200)) ??
    differ('tail', shown.tail, undefined) ??
    (actors.length > 0 ? byFault(by?.heading ?? '', actors, events) : undefined) ??
    headings
      .map(({ heading, link }, index) =>
        placeFault({ heading, link }, places[index] ?? [], origins.size > 1, templates),
      )
      .find(fault => fault !== undefined) ??
    (headings.length > PLACES ? `${headings.length} places are shown` : undefined) ??
    differ(
      'rest',
      more,
      left.length > 0
        ? `and ${left.length.toLocaleString('en')} more · ${counted(sumOf(left.flat()), 'change')}`
        : undefined,
    )
  );
}

function placeFault(
  { heading, link }: Pick<Shown['paragraphs'][number], 'heading' | 'link'>,
  events: readonly ChangeEvent[],
  hasOrigin: boolean,
  templates: LinkTemplates,
): string | undefined {
  const [first] = events;
  if (!first) return `“${heading}” is none of the places`;
  const end = ` · ${counted(sumOf(events), 'change')}${hasOrigin ? ` · ${originOf(first)}` : ''}`;
  const name = nameOf(events);
  if (
    !heading.endsWith(end) ||
    !isCutOf(heading.slice(0, -end.length), name, name.length > TITLE_LIMIT ? 0 : Number.POSITIVE_INFINITY)
  )
    return `“${heading}” is not “${name}${end}”`;
  const own = inOrder(events).findLast(({ type }) => type.startsWith('project.'));
  const isThere = isOfProject(first) && own?.type !== 'project.deleted';
  const template = templates.find(({ workspace }) => first.source.startsWith(`/workspaces/${workspace}/`));
  const url = isThere ? address(template?.project, first as RecordEvent) : undefined;
  return link === undefined || link.url === url
    ? undefined
    : `“${heading}” leads to ${link.url} instead of ${url}`;
}

function nameOf(events: readonly ChangeEvent[]): string {
  const [first] = events as [ChangeEvent];
  if (!isOfProject(first))
    return first.type === 'audit.recorded'
      ? 'Audit log'
      : first.type.startsWith('field.')
        ? 'Custom fields'
        : SOURCE_TITLES[first.type as keyof typeof SOURCE_TITLES];
  const named = inOrder(events as RecordEvent[]).findLast(
    ({ data }) => visible(data.project.name ?? '') !== '',
  );
  return named?.data.project.name ?? `Project ${(first as RecordEvent).data.project.id}`;
}

function byFault(text: string, actors: readonly Actor[], events: readonly ChangeEvent[]): string | undefined {
  const isUnknown = (event: ChangeEvent) => namesUnknown(event) || actorsOf(event).length === 0;
  const unknown = sumOf(events.filter(isUnknown));
  const end = unknown > 0 ? `; unknown for ${counted(unknown, 'change')}` : '';
  const names = text.slice('by '.length, text.length - end.length);
  const isRight = text.startsWith('by ') && text.endsWith(end) && namesActors(names, actors);
  return isRight ? undefined : `“${text}” does not name ${JSON.stringify(actors)}${end}`;
}

/** Those who made the most changes first. */
function actorsIn(events: readonly ChangeEvent[]): Actor[] {
  const all = events.flatMap(event => actorsOf(event).map(actor => ({ actor, count: sumOf([event]) })));
  const byId = [...Map.groupBy(all, ({ actor }) => actor.id).values()].map(some => ({
    actor: some.at(-1)?.actor as Actor,
    count: some.reduce((sum, { count }) => sum + count, 0),
  }));
  return byId.toSorted((one, other) => other.count - one.count).map(({ actor }) => actor);
}

function actorsOf(event: ChangeEvent): readonly Actor[] {
  return namedIn(event).filter(({ id }) => id !== '');
}

/** Whether others made changes, too, of whom nothing is known. */
function namesUnknown(event: ChangeEvent): boolean {
  return namedIn(event).some(({ id }) => id === '');
}

function namedIn(event: ChangeEvent): readonly Actor[] {
  if (event.type === 'audit.recorded') return (event as AuditEvent).data.users;
  return isOfProject(event) ? ((event as RecordEvent).data.actors ?? []) : [];
}

function typesOf(events: readonly ChangeEvent[]): string {
  return Object.entries(WORDS)
    .map(([type, words]) => ({
      words: words.split('/'),
      count: sumOf(events.filter(event => event.type === type)),
    }))
    .filter(({ count }) => count > 0)
    .map(({ words: [one, several], count }) => `${count.toLocaleString('en')} ${count === 1 ? one : several}`)
    .join(' · ');
}

function keyOf(event: ChangeEvent): string {
  if (isOfProject(event)) return JSON.stringify([event.source, (event as RecordEvent).data.project.id]);
  return JSON.stringify([event.type.startsWith('field.') ? 'field' : event.type, event.source, '']);
}

function isOfProject({ type }: ChangeEvent): boolean {
  return /^(?:project|task)\./.test(type);
}

function sumOf(events: readonly ChangeEvent[]): number {
  return events.reduce((sum, { type, data }) => sum + countOf(type, data), 0);
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
