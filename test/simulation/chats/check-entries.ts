import type { AuditEvent } from '../../../functions/model/event.ts';
import { type Shown, visible } from '../../kit/delivery/shown.ts';
import { linkFault } from './check-links.ts';
import { differ, originOf } from './check-parts.ts';

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
    differ('title', shown.title, 'Audit log') ??
    differ('summary', shown.summary, originOf(events[0])) ??
    timesFault(shown.times, times) ??
    differ('tail', shown.tail, undefined) ??
    differ('other text', shown.instead ?? shown.title, shown.title) ??
    linkFault(shown, events, [], []) ??
    differ(
      'notification',
      visible(shown.notification).slice(0, 200),
      `${shown.title}: ${note}`.slice(0, 200),
    ) ??
    differ('number of entries', String(told.length), String(Math.min(SHOWN, events.length))) ??
    (isCounted ? undefined : `“${note}” does not count ${events.length} entries`)
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
