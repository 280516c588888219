import { counted } from './chat-text.ts';
import type { ChatRecord, ChatTopic } from './chat-topic.ts';
import { changesIn, linesOf, type RecordView, viewOf } from './chat-view.ts';

/** How much of each record is shown. */
type Detail = Parameters<typeof linesOf>[1];

/** How a chat writes a record, and how much room a message has for records. */
interface Room<Part> {
  /** The room for all parts, in the units of `size`. */
  readonly total: number;
  readonly parts: number;
  readonly write: (view: RecordView) => Part;
  /** The room that a part takes; infinite when the chat would reject the part. */
  readonly size: (part: Part) => number;
}

/** A count of changes, and of the records that they are in. */
export interface Tally {
  readonly changes: number;
  readonly tasks: number;
  readonly fields: number;
  readonly hasProject: boolean;
  /** `event` where nothing changed: all of them fall due. */
  readonly noun: 'change' | 'event';
}

/** From the most detail to the least: few changes are shown in full, many are shortened, very many have no
 *  links. */
const DETAILS: readonly (Detail & { readonly isLinked: boolean })[] = [
  { value: 500, lines: 30, isLinked: true },
  { value: 160, lines: 12, isLinked: true },
  { value: 60, lines: 5, isLinked: true },
  { value: 60, lines: 5, isLinked: false },
];

/** As many of the records, in order, as fit, at the level of detail that shows the most changes; and a count of
 *  the rest. Of a summary: as many places as fit. */
export function fitRecords<Part>(
  { records, flood }: Pick<ChatTopic, 'records' | 'flood'>,
  room: Room<Part>,
): { parts: Part[]; left: Tally } {
  if (flood) return { parts: fitFlood(flood, room), left: tallyOf([]) };
  const bare = records.map(record => ({ ...record, link: undefined }));
  return DETAILS.map(detail => fill(detail.isLinked ? records : bare, detail, room)).reduce((best, next) =>
    next.left.changes < best.left.changes ? next : best,
  );
}

/** The number of places that a summary shows at most. */
const MAX_PLACES = 10;

/** A summary's places with their links, else without, else fewer. The rest is counted. */
function fitFlood<Part>(flood: NonNullable<ChatTopic['flood']>, { write, size, total }: Room<Part>): Part[] {
  for (let shown = Math.min(MAX_PLACES, flood.places.length); shown >= 0; shown--)
    for (const isLinked of [true, false]) {
      const parts = floodViews(flood, shown, isLinked).map(write);
      if (parts.reduce((sum, part) => sum + size(part), 0) <= total) return parts;
    }
  return [];
}

function floodViews(
  { by, places }: NonNullable<ChatTopic['flood']>,
  shown: number,
  isLinked: boolean,
): RecordView[] {
  const left = places.slice(shown);
  const changes = left.reduce((sum, place) => sum + place.changes, 0);
  return [
    ...(by === undefined ? [] : [viewOfText(by)]),
    ...places.slice(0, shown).map(({ name, link, changes, origin }) => {
      const where = origin === undefined ? '' : ` · ${origin}`;
      const rest = { text: ` · ${counted(changes, 'change')}${where}`, look: 'plain' } as const;
      return {
        ...viewOfText(''),
        heading: [{ text: name, look: 'strong', link: isLinked ? link : undefined }, rest],
      } as const;
    }),
    ...(left.length > 0
      ? [viewOfText(`and ${left.length.toLocaleString('en')} more · ${counted(changes, 'change')}`)]
      : []),
  ];
}

function viewOfText(text: string): RecordView {
  return { heading: [{ text, look: 'plain' }], lines: [], shown: 0 };
}

/** Counts the changes of some records, less those that are `shown` of each. */
export function tallyOf(records: readonly ChatRecord[], shown: readonly number[] = []): Tally {
  const lefts = records.map((record, index) => ({ record, left: changesIn(record) - (shown[index] ?? 0) }));
  const open = lefts.filter(({ left }) => left > 0);
  const countOf = (entity: ChatRecord['entity']) =>
    new Set(open.filter(({ record }) => record.entity === entity).map(({ record }) => record.id)).size;
  return {
    changes: open.reduce((sum, { left }) => sum + left, 0),
    tasks: countOf('task'),
    fields: countOf('project field') + countOf('task field'),
    hasProject: open.some(({ record }) => record.entity === 'project'),
    noun: open.length > 0 && open.every(({ record }) => record.due) ? 'event' : 'change',
  };
}

/** `12 changes in the project and 5 tasks`. */
export function tallyText({ changes, tasks, fields, hasProject, noun }: Tally, more = ''): string {
  const places = [
    ...(hasProject ? ['the project'] : []),
    ...(tasks > 0 ? [counted(tasks, 'task')] : []),
    ...(fields > 0 ? [counted(fields, 'field')] : []),
  ];
  return `${counted(changes, `${more}${noun}`)} in ${places.join(' and ')}`;
}

/** `Ann Lee made 12 changes in the project and 5 tasks · process launch · workspace eu`; without the name where it
 *  is not known, or not the same of all. */
export function summaryText({ by, records, origin }: Pick<ChatTopic, 'by' | 'records' | 'origin'>): string {
  if (records.length === 0) return origin;
  return `${by === undefined ? '' : `${by} made `}${tallyText(tallyOf(records))} · ${origin}`;
}

/** `and 438 more changes in 211 tasks are not shown`. */
export function leftText(left: Tally): string {
  return `and ${tallyText(left, 'more ')} ${left.changes === 1 ? 'is' : 'are'} not shown`;
}

function fill<Part>(records: readonly ChatRecord[], detail: Detail, room: Room<Part>) {
  const parts: Part[] = [];
  const shown: number[] = [];
  let used = 0;
  for (const record of records.slice(0, room.parts)) {
    const fitting = largest(record, detail, room, room.total - used);
    // Stops at the first record that doesn't fit: readers would not notice a gap.
    if (!fitting) break;
    parts.push(fitting.part);
    shown.push(fitting.shown);
    used += fitting.size;
  }
  return { parts, left: tallyOf(records, shown) };
}

function largest<Part>(record: ChatRecord, detail: Detail, { write, size }: Room<Part>, free: number) {
  const texts = linesOf(record, detail);
  for (let lines = texts.length; lines >= Math.min(1, texts.length); lines -= 1) {
    const view = viewOf(record, texts.slice(0, lines));
    const part = write(view);
    if (size(part) <= free) return { part, shown: view.shown, size: size(part) };
  }
  return;
}
