import { isJsonObject, type Json } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';
import type { DoctorAnswer } from '../operations/protocol/answers.ts';
import type { Judged, Proposal } from './finding.ts';

type Part = Readonly<Record<string, Json>>;

/** Removes proposed settings that are already configured. A proposal that adds to a setting keeps its other parts. */
export function withConfigured({ settings, ...finding }: Judged, known: Proposal): Judged {
  if (!settings) return finding;
  const workspace = added(settings.workspace ?? {}, known.workspace ?? {});
  const process = added(settings.process ?? {}, known.process ?? {});
  if (Object.keys({ ...workspace, ...process }).length > 0)
    return { ...finding, settings: { workspace, process } };
  if (finding.verdict !== 'setting') return finding;
  const { remedy: _, ...rest } = finding;
  return { ...rest, verdict: 'fine', found: `${finding.found} Already configured.` };
}

function added(proposed: Part, known: Part): Part {
  const joined = Object.entries(joinAll(known, proposed));
  return Object.fromEntries(joined.filter(([name, value]) => !jsonEqual(known[name] ?? null, value)));
}

/** The settings of all findings. */
export function settingsOf(judged: readonly Judged[]): DoctorAnswer['settings'] {
  const all = judged.reduce<Part>((sum, { settings }) => joinAll(sum, { ...settings }), {});
  return { workspace: {}, process: {}, ...all } as DoctorAnswer['settings'];
}

/** Of two numbers (page sizes) the smaller is safe, of two times (the overlap) the longer. */
function join(before: Json | undefined, value: Json): Json {
  if (Array.isArray(before) && Array.isArray(value)) return [...new Set([...before, ...value])];
  if (typeof before === 'number' && typeof value === 'number') return Math.min(before, value);
  if (typeof before === 'string' && typeof value === 'string')
    return Number.parseFloat(before) > Number.parseFloat(value) ? before : value;
  return isJsonObject(before) && isJsonObject(value) ? joinAll(before, value) : value;
}

function joinAll(before: Part, value: Part): Part {
  const joined = Object.entries(value).map(([name, each]) => [name, join(before[name], each)]);
  return { ...before, ...Object.fromEntries(joined) };
}

/** Of the configured settings of a process and its workspace, those that a doctor may propose. */
export const configuredIn =
  (workspaces: readonly WorkspaceSettings[]) =>
  ({ workspace: name, processId }: ProcessKey): Proposal => {
    const workspace = workspaces.find(each => each.name === name);
    const { identifiers = {}, pageSize = {}, dateHeader, processes = [] } = workspace ?? {};
    const { ignoreFields = [], overlap, auditLog } = processes.find(({ id }) => id === processId) ?? {};
    return {
      workspace: given({ identifiers: given(identifiers), pageSize: given(pageSize), dateHeader }),
      process: given({
        ignoreFields: [...ignoreFields],
        overlap: overlap === undefined ? undefined : `${overlap / 60_000}m`,
        auditLog,
      }),
    };
  };

function given(settings: Readonly<Record<string, Json | undefined>>): Record<string, Json> {
  const all = Object.entries(settings);
  return Object.fromEntries(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** The addresses of the service, which a configuration must name too. */
export type ServiceAddresses = Pick<WorkspaceSettings, 'baseUrl' | 'authUrl' | 'audience'>;

/** The proposed settings as a whole configuration where the addresses are known, else as an entry of `workspaces`, to
 *  be merged into the existing one. Undefined when nothing is proposed. */
export function settingsToPaste(answer: DoctorAnswer, addresses?: ServiceAddresses): string | undefined {
  const { workspace: name, process: id, settings } = answer;
  if (Object.keys(settings.workspace).length + Object.keys(settings.process).length === 0) return undefined;
  const workspace = { name, ...addresses, ...settings.workspace, processes: [{ id, ...settings.process }] };
  return JSON.stringify(addresses ? { workspaces: [workspace] } : workspace, null, 2);
}
