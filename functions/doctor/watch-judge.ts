import type { JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import { type Examined, found } from './examination.ts';
import type { Edit, Observed } from './observed.ts';
import { TASK_EDITS } from './task-edits.ts';
import { isUsual, timeOf } from './times.ts';
import { judgeLag } from './updated-lag.ts';
import { judgeEntries } from './watch-entries.ts';
import { propertyList, shown, span, timeText } from './words.ts';

const EDIT = 'edit';

/** The findings from an edit in a project. `field` is the one that holds the projects' update time. */
export function judgeWatch(
  observed: Observed,
  { projectId, field }: { readonly projectId: string; readonly field: string | undefined },
): Examined {
  const { edit } = observed;
  if (!edit) {
    const on = {
      asked: observed.last.asked.tasks,
      came: 'no change of a task',
      remedy: 'Ask again, and edit a task of the project that is named.',
    };
    return { findings: [found(EDIT, 'unknown', 'No edit was seen.', on)] };
  }
  const fields = judgeFields(edit, observed);
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

function judgeFields({ was, is, id, seenAt }: Edit, { last }: Observed): Examined {
  const on = { asked: last.asked.tasks, came: `task ${shown(id)}, seen at ${timeText(seenAt)}` };
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

/** True for a time that moved to about now, and for the name of a version counter. */
function changesWithEach(name: string, was: JsonObject, is: JsonObject, now: number): boolean {
  const [before, after] = [timeOf(was[name]), timeOf(is[name])];
  if (after !== undefined) return after > (before ?? 0) && Math.abs(now - after) < LATELY;
  return /^_?(version|revision|rev|etag|seq|sequence|lockVersion|rowVersion|changeCount)$/i.test(name);
}

interface Moved {
  readonly finding: Finding;
  /** The project's update time after the edit. */
  readonly to?: number | undefined;
}

function judgeMoved({ first, last }: Observed, edit: Edit, field: string | undefined): Moved {
  const [was, is] = [first, last].map(({ project }) =>
    field === undefined ? undefined : timeOf(project?.[field]),
  );
  const waited = span(last.at - edit.seenAt);
  if (was === undefined || is === undefined) {
    const remedy = 'Passes go by the audit log, and by sweeps.';
    const on = { asked: last.asked.project, came: 'no update time of the project', remedy };
    return { finding: found(TASK_EDITS, 'unknown', 'Projects do not say when they were updated.', on) };
  }
  const came = `the project’s ${shown(field ?? '')}: ${timeText(was)} before, ${timeText(is)} ${waited} after the edit was seen`;
  const asked = last.asked.project;
  if (is > was && is >= ownTime(edit, field) - SAME_MS)
    return {
      to: is,
      finding: found(TASK_EDITS, 'fine', 'They move the update time of their project.', { asked, came }),
    };
  const text =
    'They do not move the update time of their project. Passes see them by the audit log, or else by the next sweep.';
  const remedy = 'Where the audit log is denied or does not name the project, set sweep to a shorter time.';
  return { finding: found(TASK_EDITS, 'warning', text, { asked, came, remedy }) };
}

/** The times that one edit gives to task and project may differ by this much. */
const SAME_MS = 5_000;

/** The update time of the edited task. A project time before it comes from somebody else's edit. */
function ownTime({ is }: Edit, field = ''): number {
  const name = Object.keys(is ?? {}).find(each => each === field || isUsual(each));
  return timeOf(is?.[name ?? '']) ?? 0;
}

function judgeShown({ traces = [] }: Observed, { seenAt }: Edit, { to }: Moved): Examined {
  if (to === undefined) return { findings: [] };
  const showing = traces.find(({ isShown }) => isShown);
  const last = traces.at(-1) ?? showing;
  const from = Math.min(to, seenAt);
  const ms = Math.max(0, ((showing ?? last)?.at ?? seenAt) - from);
  const came = `updated at ${timeText(to)}, ${showing ? 'shown' : 'not yet shown'} ${span(ms)} later`;
  return judgeLag(ms, (showing ?? last)?.asked.updated ?? [], came, showing !== undefined);
}
