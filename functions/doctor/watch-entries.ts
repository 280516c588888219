import type { JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import { leaves, namedIn, pathsNaming } from './audit-paths.ts';
import { found } from './examination.ts';
import type { Look } from './look.ts';
import type { Edit, Observed } from './observed.ts';
import { propertyList, span } from './words.ts';

const LOG = 'audit log shows edits';

/** The new entries of the audit log; those that name the task or its project, if there are any. Others may be
 *  editing, too. */
export function newEntries({ first, traces = [] }: Observed, ids: ReadonlySet<string>) {
  const known = [...first.head, ...first.end];
  const fresh = (look: Look) =>
    [...look.head, ...look.end].filter(entry => !known.some(each => jsonEqual(each, entry)));
  const ours = (look: Look) =>
    fresh(look).filter(entry => leaves(entry).some(({ value }) => namedIn(value, ids) !== undefined));
  const told = traces.find(look => ours(look).length > 0);
  if (told) return { look: told, entries: ours(told), isOurs: true };
  const look = traces.find(each => fresh(each).length > 0);
  return look && { look, entries: fresh(look), isOurs: false };
}

export function judgeEntries(observed: Observed, edit: Edit, projectId: string): Finding[] {
  const { first, last } = observed;
  const asked = last.asked.log;
  const seen = newEntries(observed, new Set([projectId, edit.id]));
  if (!seen) {
    const came = `no new entry within ${span(last.at - edit.seenAt)}`;
    const isEmpty = first.head.length === 0;
    const text = isEmpty
      ? 'There is no audit log to see, or it is denied.'
      : 'The audit log has no entry of the edit.';
    return [found(LOG, 'warning', text, { asked, came, remedy: SWEEP })];
  }
  const came = `entries with ${propertyList(Object.keys(seen.entries[0] ?? {}))}`;
  const within = span(seen.look.at - edit.notBefore);
  const place = judgePlace(first, seen.look, seen.entries);
  if (!seen.isOurs) {
    const text = 'New entries came, and none names the task or its project. Passes learn nothing from them.';
    return [found(LOG, 'warning', text, { asked, came, remedy: SWEEP }), place];
  }
  const text = `An entry was there within ${within}.`;
  return [
    found(LOG, 'fine', text, { asked, came }),
    judgeNames(seen.entries, { id: edit.id, projectId, asked }),
    place,
  ];
}

const SWEEP = 'Where task edits do not move their project either, set sweep to a shorter time.';

function judgeNames(
  fresh: readonly JsonObject[],
  { id, projectId, asked }: { id: string; projectId: string; asked: Look['asked']['log'] },
): Finding {
  const paths = pathsNaming(fresh, new Set([projectId]));
  const ofTask = leavesNaming(fresh, id);
  const came = `the project: ${propertyList(paths)}; the task: ${propertyList(ofTask)}`;
  if (paths.length > 0)
    return found(
      'audit log names projects',
      'fine',
      `${propertyList(paths.slice(0, 1))} names the project of an edited task.`,
      {
        asked,
        came,
      },
    );
  const text = 'The entry of an edited task does not name its project. Passes learn nothing from it.';
  return found('audit log names projects', 'warning', text, { asked, came, remedy: SWEEP });
}

function leavesNaming(entries: readonly JsonObject[], id: string): string[] {
  const ids = new Set([id]);
  return [
    ...new Set(
      entries.flatMap(entry =>
        leaves(entry)
          .filter(({ value }) => namedIn(value, ids) !== undefined)
          .map(({ path }) => path),
      ),
    ),
  ];
}

function judgePlace(
  first: Look,
  { head, end, asked: { log: asked } }: Look,
  added: readonly JsonObject[],
): Finding {
  const topic = 'audit log order';
  const isFirst = added.some(entry => jsonEqual(entry, head[0] ?? null));
  if (head.length + end.length < 2 || first.head.length === 0)
    return found(topic, 'unknown', 'Too few entries show it.', { asked, came: 'one entry' });
  const came = isFirst ? 'the new entry is the first one' : 'the new entry is behind the others';
  return found(topic, 'fine', `Entries come ${isFirst ? 'newest' : 'oldest'} first.`, { asked, came });
}
