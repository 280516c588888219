import * as z from 'zod';
import { json, told } from './parse.ts';

const milliseconds = z.number().int().positive();

const MINUTE_MS = 60_000;

const rhythm = z
  .strictObject({ fastest: milliseconds, slowest: milliseconds })
  .refine(({ fastest, slowest }) => fastest <= slowest, 'fastest is slower than slowest');

/** A process to poll, with its settings. */
export const processSettings = z.strictObject({
  id: z.string().min(1),
  /** From one `changes` pass to the next, in ms: `fastest` after a pass that found something, twice as long
   *  after each that didn't, and at most `slowest`. A process is stalled after 5 times `slowest`, and at
   *  least a minute, without a completed one. */
  changes: rhythm.default({ fastest: MINUTE_MS, slowest: MINUTE_MS }),
  /** From one sweep to the next, in ms. */
  sweep: milliseconds.default(6 * 60 * MINUTE_MS),
  /** How far behind the watermark a `changes` pass asks, in ms. */
  overlap: milliseconds.default(120_000),
  /** Fields of which a change alone is no change, in addition to the usual update timestamps. */
  ignoreFields: z.array(z.string()).default([]),
  /** False: these credentials may not read the audit log, so that no pass asks for it. */
  auditLog: z.boolean().optional(),
  /** True: each new entry of the audit log is told as `audit.recorded`. */
  audit: z.boolean().optional(),
});

const pageSize = z.number().int().min(1);

/** One credential set on one instance of the service (service-api.md §1, §5). */
export const workspaceSettings = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  baseUrl: z.url(),
  authUrl: z.url(),
  audience: z.string().min(1),
  /** Secrets Manager's name or ARN of the JSON `{"clientId": "...", "clientSecret": "..."}`. */
  credentials: z.string().min(1),
  /** The most requests at once. */
  concurrency: z.number().int().min(1).max(32).default(16),
  /** The property that identifies a record, where it is none of the usual ones. */
  identifiers: z
    .strictObject({
      project: z.string().optional(),
      task: z.string().optional(),
      user: z.string().optional(),
    })
    .default({}),
  /** The page size (`first`) of each list, where the usual one is too large for the service. */
  pageSize: z
    .strictObject({
      projects: pageSize.optional(),
      tasks: pageSize.optional(),
      auditLog: pageSize.optional(),
      users: pageSize.optional(),
    })
    .default({}),
  /** False: the service is known to send no `Date`, which then needs no announcement. */
  dateHeader: z.boolean().optional(),
  processes: z.array(processSettings).min(1),
});

export type ProcessSettings = z.infer<typeof processSettings>;
export type WorkspaceSettings = z.infer<typeof workspaceSettings>;

const workspaces = json.pipe(z.array(workspaceSettings).min(1));

/** Reads the workspaces from `workspaces.json`, which is bundled with a function because environment
 *  variables have no room for them.
 *  @throws an error that names each setting that is wrong, but no value */
export function readWorkspaces(text: string): readonly WorkspaceSettings[] {
  const parsed = workspaces.safeParse(text);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${told(issue)}`);
  throw new Error(
    `workspaces.json is not as the deployment writes it. ${problems.join('; ')}. Deploy again.`,
  );
}
