import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type {
  AuditEvent,
  ChangeEvent,
  FieldEvent,
  ProjectEvent,
  SourceEvent,
  TaskEvent,
} from '../../../functions/model/event.ts';
import { type Shown, visible } from '../../kit/delivery/shown.ts';
import { linkFault } from './check-links.ts';
import { isSentenceOf, shownIn } from './check-paragraph.ts';
import type { Folded } from './fold.ts';
import { asShown, eachOnce, type Item, inOrder, itemOf } from './items.ts';
import { differ, isCutOf, namesActors, originOf, span } from './tells.ts';

/** How many units of a title are shown, counted after Slack's escapes. */
const TITLE_LIMIT = 138;

/** How many changes of a group a message leaves out; or, as text, why it does not tell them. */
export type Told = { readonly left: number } | string;

/** Whether a message tells these events of one project or process: each change, in order, in its own
 *  words, or counted as left out; with the links that the templates make, and no others. */
export function tellsGroup(
  shown: Shown,
  events: readonly ChangeEvent[],
  templates: LinkTemplates = [],
  folded?: Folded,
): Told {
  const [first] = events;
  if (!first) return 'there is nothing to tell';
  if (first.type.startsWith('source.')) return tellsSource(shown, first as SourceEvent);
  if (first.type === 'audit.recorded')
    return entriesFault(shown, events as [AuditEvent, ...AuditEvent[]]) ?? { left: 0 };
  const ordered = inOrder(events as (ProjectEvent | TaskEvent | FieldEvent)[]);
  const shownEvents = eachOnce(asShown(ordered, folded !== undefined));
  const items = shownEvents.map(itemOf);
  const all = items.reduce((sum, { count }) => sum + count, 0);
  const tally = tallyOf(items, () => 0);
  const summary = `${tally} · ${originOf(first)}`;
  const made = ` made ${summary}`;
  const byInSummary = shown.summary.endsWith(made) ? shown.summary.slice(0, -made.length) : undefined;
  const isOfAll = byInSummary !== undefined;
  const wrong =
    titleFault(shown.title, ordered) ??
    (isOfAll ? byFault(byInSummary, items) : differ('summary', shown.summary, summary)) ??
    differ('times', shown.times.join(), timesOf(ordered).join()) ??
    differ('other text', shown.instead ?? tally, tally) ??
    sentenceFault(shown, shownEvents[0] as ChangeEvent, items, { left: all - 1, isOfAll }) ??
    linkFault(shown, shownEvents, items, templates);
  if (wrong !== undefined) return wrong;
  const counts: number[] = [];
  for (const [index, paragraph] of shown.paragraphs.entries()) {
    const item = items[index];
    const count = item
      ? shownIn(paragraph, item, isOfAll)
      : `“${paragraph.heading}” is none of these changes`;
    if (typeof count === 'string') return count;
    counts.push(count);
  }
  const left = all - counts.reduce((sum, count) => sum + count, 0);
  return tailFault(shown.tail, items, counts, left) ?? { left };
}

/** The same of a message that tells what was gathered of one project or process: what is left in the end, and how many changes there were. */
export function tellsFolded(shown: Shown, folded: Folded, templates: LinkTemplates = []): Told {
  const note = noteOf(folded);
  if (note === undefined) return tellsGroup(shown, folded.events, templates, folded);
  const [first, ...paragraphs] = shown.paragraphs;
  if (first?.heading !== note) return `“${first?.heading}” is not “${note}”`;
  return tellsGroup({ ...shown, paragraphs }, folded.events, templates, folded);
}

/** The text that counts changes that stand in no line of their own. */
export function noteOf({ events, all, back }: Folded): string | undefined {
  const left = events.reduce((sum, event) => sum + countOf(event), 0);
  if (left === all) return undefined;
  const taken =
    back > 0 ? `, of which ${back.toLocaleString('en')} ${back === 1 ? 'was' : 'were'} taken back` : '';
  return `${counted(all, 'change')} summed up${taken}`;
}

function countOf(event: ChangeEvent): number {
  const isOther = event.type === 'audit.recorded' || event.type.startsWith('source.');
  return isOther ? 1 : itemOf(event as ProjectEvent | TaskEvent | FieldEvent).count;
}

/** What is wrong with a summary that says who made all of the changes. */
function byFault(names: string, items: readonly Item[]): string | undefined {
  const idsOf = ({ actors }: Item) => JSON.stringify(actors.map(({ id }) => id));
  const [first] = items;
  const other = items.find(
    item => !namesActors(names, item.actors) || (first && idsOf(item) !== idsOf(first)),
  );
  return other && `its summary names “${names}” for what ${JSON.stringify(other.actors)} changed`;
}

function sentenceFault(
  { notification, title }: Shown,
  event: ChangeEvent,
  items: readonly Item[],
  { left, isOfAll }: { left: number; isOfAll: boolean },
): string | undefined {
  const [first] = items;
  const place = first?.place === 'field' ? originOf(event) : title;
  const noun = items.every(isStated) ? 'event' : 'change';
  const isTold = first && isSentenceOf(notification, first, { place, left, isOfAll, noun });
  return isTold ? undefined : `“${notification}” does not tell ${JSON.stringify(first)} and ${left} more`;
}

function tailFault(
  tail: string | undefined,
  items: readonly Item[],
  counts: readonly number[],
  left: number,
) {
  const tally = tallyOf(items, index => counts[index] ?? 0, 'more ');
  return differ('tail', tail, left > 0 ? `… and ${tally} ${left === 1 ? 'is' : 'are'} not shown` : undefined);
}

/** The text that counts changes that are not shown, and their records: each record once, however often it
 *  changed. */
function tallyOf(items: readonly Item[], shownOf: (index: number) => number, more = ''): string {
  const open = items
    .map((item, index) => ({ ...item, count: item.count - shownOf(index) }))
    .filter(({ count }) => count > 0);
  const placesOf = (place: Item['place']) =>
    new Set(open.filter(item => item.place === place).map(({ id }) => id)).size;
  const places = [
    ...(placesOf('project') > 0 ? ['the project'] : []),
    ...(placesOf('task') > 0 ? [counted(placesOf('task'), 'task')] : []),
    ...(placesOf('field') > 0 ? [counted(placesOf('field'), 'field')] : []),
  ];
  const sum = open.reduce((total, { count }) => total + count, 0);
  const noun = `${more}${open.every(isStated) ? 'event' : 'change'}`;
  return `${counted(sum, noun)} in ${places.join(' and ')}`;
}

/** Nothing changed: it falls due. */
function isStated({ stated }: Item): boolean {
  return stated !== undefined;
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** What is wrong with the title: it must be the project's latest name, else its identifier. */
function titleFault(
  shown: string,
  events: readonly (ProjectEvent | TaskEvent | FieldEvent)[],
): string | undefined {
  const projects = events.flatMap(({ data }) => ('field' in data ? [] : [data.project]));
  if (projects.length === 0) return differ('title', shown, 'Custom fields');
  const named = projects.findLast(({ name = '' }) => visible(name) !== '');
  const title = named?.name ?? `Project ${projects[0]?.id}`;
  const escaped = [...title].reduce(
    (sum, unit) => sum + ({ '&': 5, '<': 4, '>': 4 }[unit] ?? unit.length),
    0,
  );
  const limit = escaped > TITLE_LIMIT ? 0 : Number.POSITIVE_INFINITY;
  return isCutOf(shown, title, limit) ? undefined : `its title “${shown}” is not “${title}”`;
}

/** The times that a message shows, from the earliest reading to the latest. */
export function timesOf(events: readonly ChangeEvent[]): string[] {
  const spans = events.map(({ time, data }) =>
    'observed' in data
      ? data.observed
      : { after: 'since' in data && !('dueAt' in data) ? data.since : time, before: time },
  );
  return span(
    Math.min(...spans.map(({ after }) => Date.parse(after))),
    Math.max(...spans.map(({ before }) => Date.parse(before))),
  );
}

export const SOURCE_TITLES: Record<SourceEvent['type'], string> = {
  'source.held': 'Deletions are on hold',
  'source.stalled': 'Changes are late',
  'source.skipped': 'A project is skipped',
  'source.recovered': 'Changes are sent again',
};

function tellsSource(shown: Shown, event: SourceEvent): Told {
  const { data, time, type } = event;
  const since = 'since' in data ? data.since : time;
  const note = visible(shown.paragraphs[0]?.heading ?? '');
  const names = 'project' in data ? [data.project.id] : [];
  const reason = 'reason' in data ? visible(data.reason).slice(0, 700) : '';
  return (
    noteFault(shown, [event], SOURCE_TITLES[type], note) ??
    differ('times', shown.times.join(), span(Date.parse(since), Date.parse(time)).join()) ??
    (shown.paragraphs.length === 1 && [...names, reason].every(text => note.includes(text))
      ? { left: 0 }
      : `“${note}” does not tell ${JSON.stringify(data)}`)
  );
}

/** How many entries are shown, and how much of each at least. */
const [SHOWN, LEAST] = [5, 200];

/** What is wrong with a message about these entries of the audit log: it must show the first five, each with those who acted, and
 *  count the others. */
export function entriesFault(
  shown: Shown,
  events: readonly [AuditEvent, ...AuditEvent[]],
): string | undefined {
  const times = events.map(({ time }) => time.slice(0, 19));
  const note = visible(shown.paragraphs.map(({ heading }) => heading).join());
  const told = events.filter(event => note.includes(begin(event)));
  const left = events.length - SHOWN;
  const further = left > 0 ? ` · and ${left} more` : '';
  const isCounted = left > 0 ? note.endsWith(further) : !/ · and \d+ more$/.test(note);
  return (
    noteFault(shown, events, 'Audit log', note) ??
    timesFault(shown.times, times) ??
    differ('number of entries', String(told.length), String(Math.min(SHOWN, events.length))) ??
    (isCounted ? undefined : `“${note}” does not count ${events.length} entries`)
  );
}

/** What is wrong with a message that shows a note of its own instead of changes, besides its text and times. */
function noteFault(shown: Shown, events: readonly ChangeEvent[], title: string, note: string) {
  const notification = visible(shown.notification).slice(0, 200);
  return (
    differ('title', shown.title, title) ??
    differ('summary', shown.summary, originOf(events[0] as ChangeEvent)) ??
    differ('tail', shown.tail, undefined) ??
    differ('other text', shown.instead ?? shown.title, shown.title) ??
    linkFault(shown, events, [], []) ??
    differ('notification', notification, `${shown.title}: ${note}`.slice(0, 200))
  );
}

/** A table that was restored as a new one tells entries again at another time, with the same id: of two such events in one batch it is
 *  open which one is judged here. So one of the times shown must be that of one of these. */
function timesFault(shown: readonly string[], told: readonly string[]): string | undefined {
  const isTold = shown.some(time => told.includes(time));
  return isTold ? undefined : differ('times', shown.join(), told.join());
}

/** The begin of what is shown of an entry: an entry's own `id` comes first, so no two begin alike. */
function begin({ data: { users, entry } }: AuditEvent): string {
  const who = users.map(({ id, name }) => name ?? id).join(', ');
  const text = visible(typeof entry === 'string' ? entry : JSON.stringify(entry)).slice(0, LEAST);
  return who === '' ? text : `${who}: ${text}`;
}
