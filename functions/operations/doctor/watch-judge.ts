import { jsonEqual } from '../../changes/equal.ts';
import type { JsonObject } from '../../json.ts';
import type { Finding } from '../protocol/doctor.ts';
import { leaves, namedIn, pathsNaming } from './audit-paths.ts';
import { type Examined, found } from './examination.ts';
import type { Look } from './look.ts';
import { TASK_EDITS } from './task-edits.ts';
import { isUsual, timeOf } from './times.ts';
import { judgeLag } from './updated-lag.ts';
import { propertyList, shown, span, timeText } from './words.ts';

/** What a watch saw: looks before and after, and the edit between. */
export interface Observed {
  readonly first: Look;
  readonly last: Look;
  readonly edit?:
    | {
        readonly id: string;
        readonly was: JsonObject | undefined;
        readonly is: JsonObject | undefined;
        /** Between these two times, by the service's clock, it was made visible. */
        readonly notBefore: number;
        readonly seenAt: number;
      }
    | undefined;
  /** The looks since, the one that showed it first. */
  readonly traces?: readonly Look[];
}

type Edit = NonNullable<Observed['edit']>;

const EDIT = 'edit';
const LOG = 'audit log shows edits';

/** What follows from an edit in a project; `field` is that in which projects tell their update. */
export function judgeWatch(
  observed: Observed,
  { projectId, field }: { readonly projectId: string; readonly field: string | undefined },
): Examined {
  const { edit } = observed;
  if (!edit) {
    const on = {
      asked: [],
      came: 'no change of a task',
      remedy: 'Ask again, and edit a task of the project that is named.',
    };
    return { findings: [found(EDIT, 'unknown', 'No edit was seen.', on)] };
  }
  const fields = judgeFields(edit);
  const moved = judgeMoved(observed, edit, field);
  const lag = judgeShown(observed, edit, moved);
  const all = [
    fields,
    { findings: [moved.finding] },
    lag,
    { findings: judgeEntries(observed, edit, projectId) },
  ];
  return {
    findings: all.flatMap(({ findings }) => findings),
    settings: {
      process: Object.assign({}, ...all.map(each => ('settings' in each ? each.settings?.process : {}))),
    },
  };
}

const LATELY = 600_000;

function judgeFields({ was, is, id, seenAt }: Edit): Examined {
  const on = { asked: [], came: `task ${shown(id)}, seen at ${timeText(seenAt)}` };
  if (!was || !is) return { findings: [found(EDIT, 'fine', `A task ${is ? 'was made' : 'is gone'}.`, on)] };
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  const changed = names.filter(name => !jsonEqual(was[name] ?? null, is[name] ?? null));
  const unusual = changed.filter(name => !isUsual(name) && changesWithEach(name, was, is, seenAt));
  const text = `What changed in the task: ${propertyList(changed)}.`;
  if (unusual.length === 0) return { findings: [found(EDIT, 'fine', text, on)] };
  const more = `${text} Of these, ${propertyList(unusual)} will change with every edit.`;
  const finding = found(EDIT, 'setting', more, { ...on, remedy: 'Set ignoreFields, as below.' });
  return { findings: [finding], settings: { process: { ignoreFields: unusual } } };
}

/** A time of just now, or the count of a version. */
function changesWithEach(name: string, was: JsonObject, is: JsonObject, now: number): boolean {
  const [before, after] = [timeOf(was[name]), timeOf(is[name])];
  if (after !== undefined) return after > (before ?? 0) && Math.abs(now - after) < LATELY;
  return /^_?(version|revision|rev|etag|seq|sequence|lockVersion|rowVersion|changeCount)$/i.test(name);
}

interface Moved {
  readonly finding: Finding;
  /** When the project says that it was updated. */
  readonly to?: number | undefined;
}

function judgeMoved({ first, last }: Observed, edit: Edit, field: string | undefined): Moved {
  const [was, is] = [first, last].map(({ project }) =>
    field === undefined ? undefined : timeOf(project?.[field]),
  );
  const waited = span(last.at - edit.seenAt);
  if (was === undefined || is === undefined) {
    const remedy = 'Passes go by the audit log, and by sweeps.';
    const on = { asked: [], came: 'no update time of the project', remedy };
    return { finding: found(TASK_EDITS, 'unknown', 'Projects do not say when they were updated.', on) };
  }
  const came = `the project’s ${shown(field ?? '')}: ${timeText(was)} before, ${timeText(is)} ${waited} after the edit was seen`;
  if (is > was)
    return {
      to: is,
      finding: found(TASK_EDITS, 'fine', 'They move the update time of their project.', { asked: [], came }),
    };
  const text =
    'They do not move the update time of their project. Passes see them by the audit log, or else by the next sweep.';
  const remedy = 'Where the audit log is denied or does not name the project, set sweep to a shorter time.';
  return { finding: found(TASK_EDITS, 'warning', text, { asked: [], came, remedy }) };
}

function judgeShown({ traces = [] }: Observed, { seenAt }: Edit, { to }: Moved): Examined {
  if (to === undefined) return { findings: [] };
  const showing = traces.find(({ isShown }) => isShown);
  const last = traces.at(-1) ?? showing;
  const from = Math.min(to, seenAt);
  const ms = Math.max(0, ((showing ?? last)?.at ?? seenAt) - from);
  const came = `updated at ${timeText(to)}, ${showing ? 'shown' : 'not yet shown'} ${span(ms)} later`;
  return judgeLag(ms, [], came, showing !== undefined);
}

/** The entries that are new, those first that name the task or its project: others edit meanwhile, too. */
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

function judgeEntries(observed: Observed, edit: Edit, projectId: string): Finding[] {
  const { first, last } = observed;
  const seen = newEntries(observed, new Set([projectId, edit.id]));
  if (!seen) {
    const came = `no new entry within ${span(last.at - edit.seenAt)}`;
    const isEmpty = first.head.length === 0;
    const text = isEmpty
      ? 'There is no audit log to see, or it is denied.'
      : 'The audit log has no entry of the edit.';
    return [found(LOG, 'warning', text, { asked: [], came, remedy: SWEEP })];
  }
  const came = `entries with ${propertyList(Object.keys(seen.entries[0] ?? {}))}`;
  const within = span(seen.look.at - edit.notBefore);
  const place = judgePlace(first, seen.look, seen.entries);
  if (!seen.isOurs) {
    const text = 'New entries came, and none names the task or its project. Passes learn nothing from them.';
    return [found(LOG, 'warning', text, { asked: [], came, remedy: SWEEP }), place];
  }
  const text = `An entry was there within ${within}.`;
  return [found(LOG, 'fine', text, { asked: [], came }), judgeNames(seen.entries, edit, projectId), place];
}

const SWEEP = 'Where task edits do not move their project either, set sweep to a shorter time.';

function judgeNames(fresh: readonly JsonObject[], { id }: Edit, projectId: string): Finding {
  const paths = pathsNaming(fresh, new Set([projectId]));
  const ofTask = leavesNaming(fresh, id);
  const came = `the project: ${propertyList(paths)}; the task: ${propertyList(ofTask)}`;
  if (paths.length > 0)
    return found(
      'audit log names projects',
      'fine',
      `${propertyList(paths.slice(0, 1))} names the project of an edited task.`,
      {
        asked: [],
        came,
      },
    );
  const text = 'The entry of an edited task does not name its project. Passes learn nothing from it.';
  return found('audit log names projects', 'warning', text, { asked: [], came, remedy: SWEEP });
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

function judgePlace(first: Look, { head, end }: Look, added: readonly JsonObject[]): Finding {
  const topic = 'audit log order';
  const isFirst = added.some(entry => jsonEqual(entry, head[0] ?? null));
  if (head.length + end.length < 2 || first.head.length === 0)
    return found(topic, 'unknown', 'Too few entries show it.', { asked: [], came: 'one entry' });
  const came = isFirst ? 'the new entry is the first one' : 'the new entry is behind the others';
  return found(topic, 'fine', `Entries come ${isFirst ? 'newest' : 'oldest'} first.`, { asked: [], came });
}
