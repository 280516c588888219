import type { JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import { LOG_LAG, LOG_NAMES, LOG_ORDER } from './audit-log.ts';
import { leaves, namedIn, pathsNaming } from './entries.ts';
import {
  type Asked,
  fine,
  type Judged,
  propertyList,
  setting,
  shown,
  span,
  timeText,
  unknown,
  warning,
} from './finding.ts';
import { changedIn, movedToNow } from './records.ts';
import type { Survey } from './survey.ts';
import { isUsual, timeOf } from './update-time.ts';
import { judgeLag } from './updated-after.ts';
import { judgeMoved } from './updates.ts';

/** What the service showed at one time. */
export interface Look {
  /** The time by the service's clock. */
  readonly at: number;
  readonly tasks: ReadonlyMap<string, JsonObject>;
  readonly project: JsonObject | undefined;
  /** Entries from the beginning of the audit log, and from its end. */
  readonly entries: readonly JsonObject[];
  /** Whether a list with `updatedAfter` had the project. */
  readonly isShown: boolean;
  /** The requests for each of these. */
  readonly asked: Readonly<Record<'tasks' | 'project' | 'log' | 'updated', Asked>>;
}

/** What was seen: the first and the last look, an edit between, and the looks from the first that showed it. */
export interface Observed {
  readonly projectId: string;
  readonly first: Look;
  readonly last: Look;
  readonly traces: readonly Look[];
  readonly edit?: Edit | undefined;
}

interface Edit {
  readonly id: string;
  readonly was: JsonObject | undefined;
  readonly is: JsonObject | undefined;
  /** The edit became visible between these two times by the service's clock. */
  readonly notBefore: number;
  readonly seenAt: number;
}

/** True when all traces of an edit were seen. */
export function isComplete(observed: Observed): boolean {
  const { edit, traces } = observed;
  return (
    traces.some(({ isShown }) => isShown) && edit !== undefined && newEntries(observed, edit)?.isOurs === true
  );
}

const EDIT = 'edit';

/** The findings from an edit in a project. */
export function judgeWatch(survey: Survey, observed: Observed): Judged[] {
  const { first, last, edit } = observed;
  if (!edit) {
    const remedy = 'Ask again, and edit a task of the project that is named.';
    const on = { asked: last.asked.tasks, came: 'no change of a task' };
    return [unknown(EDIT, 'No edit was seen.', on, remedy)];
  }
  const { is = {}, seenAt } = edit;
  const [before, after] = [first, last].map(({ project }) => project && survey.timeOf(project));
  const field = survey.update.name;
  const own = Object.keys(is).find(each => each === field || isUsual(each)) ?? '';
  const times = { field, was: before, is: after, ownTime: timeOf(is[own]) ?? 0 };
  const moved = judgeMoved(times, last.asked.project, span(last.at - seenAt));
  const lag = moved.verdict === 'fine' && after !== undefined ? [judgeShown(observed, edit, after)] : [];
  return [judgeFields(edit, last.asked.tasks), moved, ...lag, ...judgeEntries(observed, edit)];
}

function judgeFields({ was, is, id, seenAt }: Edit, asked: Asked): Judged {
  const on = { asked, came: `task ${shown(id)}, seen at ${timeText(seenAt)}` };
  if (!was || !is) return fine(EDIT, `A task ${is ? 'was made' : 'is gone'}.`, on);
  const changed = changedIn(was, is);
  const text = `What changed in the task: ${propertyList(changed)}.`;
  const ignoreFields = changed.filter(
    name => !isUsual(name) && (VERSION.test(name) || movedToNow(was[name], is[name], seenAt)),
  );
  if (ignoreFields.length === 0) return fine(EDIT, text, on);
  const more = `${text} Of these, ${propertyList(ignoreFields)} will change with every edit.`;
  return setting(EDIT, more, on, { process: { ignoreFields } });
}

const VERSION = /^_?(version|revision|rev|etag|seq|sequence|lockVersion|rowVersion|changeCount)$/i;

function judgeShown({ traces, last }: Observed, { seenAt }: Edit, updated: number): Judged {
  const showing = traces.find(({ isShown }) => isShown);
  const { at, asked } = showing ?? last;
  const ms = Math.max(0, at - Math.min(updated, seenAt));
  const came = `updated at ${timeText(updated)}, ${showing ? 'shown' : 'not yet shown'} ${span(ms)} later`;
  return judgeLag(ms, asked.updated, came, showing !== undefined);
}

/** The new entries of the audit log; those that name the task or its project, if there are any. There may be
 *  other edits, too. */
function newEntries({ projectId, first, traces }: Observed, { id }: Edit) {
  const ids = new Set([projectId, id]);
  const isNew = (entry: JsonObject) => !first.entries.some(each => jsonEqual(each, entry));
  const looks = traces.map(look => ({ look, entries: look.entries.filter(isNew) }));
  const ours = looks.map(({ look, entries }) => ({
    look,
    entries: entries.filter(entry => leaves(entry).some(({ value }) => namedIn(value, ids) !== undefined)),
  }));
  const hasSome = ({ entries }: { readonly entries: readonly JsonObject[] }) => entries.length > 0;
  const found = ours.find(hasSome);
  const other = found ?? looks.find(hasSome);
  return other && { ...other, isOurs: found !== undefined };
}

const SWEEP = 'Where task edits do not move their project either, set sweep to a shorter time.';

function judgeEntries(observed: Observed, edit: Edit): Judged[] {
  const { projectId, first, last } = observed;
  const asked = last.asked.log;
  const seen = newEntries(observed, edit);
  if (!seen) {
    const on = { asked, came: `no new entry within ${span(last.at - edit.seenAt)}` };
    const text =
      first.entries.length === 0
        ? 'There is no audit log to see, or it is denied.'
        : 'The audit log has no entry of the edit.';
    return [warning(LOG_LAG, text, on, SWEEP)];
  }
  const { look, entries, isOurs } = seen;
  const on = { asked, came: `entries with ${propertyList(Object.keys(entries[0] ?? {}))}` };
  const place = judgePlace(first, look, entries);
  if (!isOurs) {
    const text = 'New entries came, and none names the task or its project. Passes learn nothing from them.';
    return [warning(LOG_LAG, text, on, SWEEP), place];
  }
  const text = `An entry was there within ${span(look.at - edit.notBefore)}.`;
  return [fine(LOG_LAG, text, on), judgeNames(entries, { id: edit.id, projectId, asked }), place];
}

function judgeNames(
  entries: readonly JsonObject[],
  { id, projectId, asked }: { readonly id: string; readonly projectId: string; readonly asked: Asked },
): Judged {
  const [ofProject, ofTask] = [projectId, id].map(each => pathsNaming(entries, new Set([each])));
  const came = `the project: ${propertyList(ofProject ?? [])}; the task: ${propertyList(ofTask ?? [])}`;
  const [path] = ofProject ?? [];
  if (path !== undefined)
    return fine(LOG_NAMES, `${shown(path)} names the project of an edited task.`, { asked, came });
  const text = 'The entry of an edited task does not name its project. Passes learn nothing from it.';
  return warning(LOG_NAMES, text, { asked, came }, SWEEP);
}

function judgePlace(
  first: Look,
  { entries, asked: { log: asked } }: Look,
  added: readonly JsonObject[],
): Judged {
  if (entries.length < 2 || first.entries.length === 0)
    return unknown(LOG_ORDER, 'Too few entries show it.', { asked, came: 'one entry' });
  const isFirst = added.some(entry => jsonEqual(entry, entries[0] ?? null));
  const came = isFirst ? 'the new entry is the first one' : 'the new entry comes after the others';
  return fine(LOG_ORDER, `Entries come ${isFirst ? 'newest' : 'oldest'} first.`, { asked, came });
}
