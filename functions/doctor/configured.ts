import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { WorkspaceSettings } from '../config/workspace.ts';
import type { Examined, Proposal } from './examination.ts';

type Part = Readonly<Record<string, Json>>;

/** Joins the proposed settings with the configured ones: what is configured already is left out, and a
 *  proposal that adds to a setting keeps its configured parts. */
export function withConfigured({ findings, settings }: Examined, known: Proposal): Examined {
  if (!settings) return { findings };
  const workspace = news(settings.workspace ?? {}, known.workspace ?? {});
  const process = news(settings.process ?? {}, known.process ?? {});
  if (Object.keys(workspace).length + Object.keys(process).length > 0)
    return { findings, settings: { workspace, process } };
  return {
    findings: findings.map(({ remedy, ...finding }) =>
      finding.verdict === 'setting'
        ? { ...finding, verdict: 'fine', found: `${finding.found} The configuration says so.` }
        : { ...finding, ...(remedy !== undefined && { remedy }) },
    ),
  };
}

function news(proposed: Part, known: Part): Part {
  const all = Object.entries(proposed).flatMap(([name, value]) => {
    const before = Object.hasOwn(known, name) ? known[name] : undefined;
    const joined = before === undefined ? value : join(before, value);
    return before !== undefined && jsonEqual(before, joined) ? [] : [[name, joined]];
  });
  return Object.fromEntries(all);
}

/** Of two numbers (page sizes) the smaller is safe, of two times (the overlap) the longer. */
function join(before: Json, value: Json): Json {
  if (Array.isArray(before) && Array.isArray(value)) return [...new Set([...before, ...value])];
  if (typeof before === 'number' && typeof value === 'number') return Math.min(before, value);
  if (typeof before === 'string' && typeof value === 'string')
    return Number.parseFloat(before) > Number.parseFloat(value) ? before : value;
  return isJsonObject(before) && isJsonObject(value) ? joinAll(before, value) : value;
}

function joinAll(before: JsonObject, value: JsonObject): JsonObject {
  const joined = Object.entries(value).map(([name, each]) => {
    const other = Object.hasOwn(before, name) ? before[name] : undefined;
    return [name, other === undefined ? each : join(other, each)] as const;
  });
  return { ...before, ...Object.fromEntries(joined) };
}

/** The configured settings of a process, which a doctor need not propose again. */
export const configuredIn =
  (workspaces: readonly WorkspaceSettings[]) =>
  ({ workspace: name, processId }: ProcessKey): Proposal =>
    proposalOf(
      workspaces.find(workspace => workspace.name === name),
      processId,
    );

/** Of the settings of a workspace and a process, those that a doctor may propose. */
function proposalOf(workspace: WorkspaceSettings | undefined, processId: string): Proposal {
  const { identifiers = {}, pageSize = {}, dateHeader, processes = [] } = workspace ?? {};
  const { ignoreFields = [], overlap, auditLog } = processes.find(({ id }) => id === processId) ?? {};
  return {
    workspace: {
      identifiers: given(identifiers),
      pageSize: given(pageSize),
      ...given({ dateHeader }),
    },
    process: {
      ignoreFields: [...ignoreFields],
      ...given({ overlap: overlap === undefined ? undefined : `${overlap / 60_000}m`, auditLog }),
    },
  };
}

const given = (settings: Readonly<Record<string, Json | undefined>>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
