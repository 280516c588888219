import { byText } from '../changes/order.ts';
import { readAudit } from './audit.ts';
import { namesIn } from './audit-names.ts';
import { type DeletionsResult, deleteOrHold } from './deletions.ts';
import { type Listing, listProjects } from './listing.ts';
import type { Pass } from './pass.ts';
import { processProject } from './process-project.ts';
import { Recent } from './recent.ts';
import { walk } from './walk.ts';

export type Outcome = 'completed' | 'unfinished';

/** Walks the projects updated since the watermark, less the overlap, and those that new audit entries name (DESIGN §5).
 *  Watermark and audit position move only when every one of them is committed. */
export async function changesPass(pass: Pass): Promise<Outcome> {
  const { state, settings, snapshots, process, definitions, reports } = pass.parts;
  const listing = await listProjects(pass, state.watermark - settings.overlap);
  const audit = await readAudit(pass, state.audit);
  const window = await pass.begin({ startedAt: listing.startedAt, audit: audit.position });
  const named = await heldNames(pass, listing, namesIn(audit.entries));
  const recent = new Recent(state.recent);

  const candidates = [...new Set([...listing.projects.keys(), ...named])].sort(byText);
  const gone = await walkCandidates(pass, candidates, { listing, named, recent });
  if (gone === 'unfinished') return 'unfinished';

  const deletions = await deleteVanished(pass, gone);
  const saved = await snapshots.finish(
    process,
    pass.lease,
    {
      watermark: Math.max(window.startedAt, state.watermark),
      audit: window.audit as typeof state.audit,
      recent: recent.toSave(),
      definitions: definitions.definitions,
      reported: reports.toSave(),
      ...deletions.state,
    },
    deletions.said,
  );
  return saved ? 'completed' : 'unfinished';
}

interface Candidates {
  readonly listing: Listing;
  readonly named: ReadonlySet<string>;
  readonly recent: Recent;
}

/** Processes each candidate that is not settled; returns the held ones whose task list answered 404. */
async function walkCandidates(
  pass: Pass,
  candidates: readonly string[],
  { listing, named, recent }: Candidates,
): Promise<string[] | 'unfinished'> {
  const { progress } = pass.lease;
  const rest = candidates.filter(id => progress === undefined || byText(id, progress) > 0);
  const gone: string[] = [];
  const walked = await walk(rest, {
    concurrency: pass.parts.concurrency,
    shouldStop: () => pass.outOfTime,
    onReached: async (id, done) => {
      // A project that is gone is dealt with behind the walk: a run that goes on must come by it again.
      await pass.keepAlive(gone.length === 0 ? id : pass.lease.progress);
      pass.parts.onProgress?.(done, rest.length);
    },
    work: async id => {
      const listed = listing.projects.get(id);
      if (listed && !named.has(id) && recent.isSettled(id, listed)) return;
      const { outcome, readAt } = await processProject(pass, id, listed);
      pass.projects += 1;
      if (outcome === 'gone') gone.push(id);
      else if (listed && outcome !== 'doubtful') recent.processed(id, listed, readAt);
    },
  });
  return walked === 'stopped' ? 'unfinished' : gone;
}

/** Of the names in audit entries, those of projects that we list or hold. */
async function heldNames(pass: Pass, listing: Listing, names: ReadonlySet<string>): Promise<Set<string>> {
  const held = await pass.parts.snapshots.held(pass.parts.process, names);
  return new Set([...held, ...[...names].filter(name => listing.projects.has(name))]);
}

/** A project whose task list answers 404 is looked for in the whole listing at once, so that its deletion is told now
 *  and not at the next sweep. */
async function deleteVanished(pass: Pass, vanished: readonly string[]): Promise<DeletionsResult> {
  const held = await pass.parts.snapshots.held(pass.parts.process, vanished);
  if (held.size === 0) return { state: {} };
  const listing = await listProjects(pass);
  const gone = [...held].filter(id => !listing.projects.has(id)).sort(byText);
  if (gone.length === 0) return { state: {} };
  const result = await deleteOrHold(pass, gone, listing, listing.projects.size + gone.length);
  return result.said ? result : { state: {} };
}
