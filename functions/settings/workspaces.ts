import * as z from 'zod';
import { json, told } from './parse.ts';

const milliseconds = z.number().int().positive();

const MINUTE_MS = 60_000;

const rhythm = z
  .strictObject({ fastest: milliseconds, slowest: milliseconds })
  .refine(({ fastest, slowest }) => fastest <= slowest, 'fastest is slower than slowest');

/** One process to poll, and what is special about it. */
export const processSettings = z.strictObject({
  id: z.string().min(1),
  /** From one `changes` pass to the next, in ms: `fastest` behind one that found something, twice as long behind each that didn't, `slowest` at
   *  most. 5 times the slowest, or a minute, without a completed one are a stall. */
  changes: rhythm.default({ fastest: MINUTE_MS, slowest: MINUTE_MS }),
  /** From one sweep to the next, in ms. */
  sweep: milliseconds.default(6 * 60 * MINUTE_MS),
  /** How far behind the watermark a `changes` pass asks, in ms. */
  overlap: milliseconds.default(120_000),
  /** Fields whose change alone is no change, beside the usual update timestamps. */
  ignoreFields: z.array(z.string()).default([]),
  /** False: these credentials may not read the audit log, and nobody asks for it. */
  auditLog: z.boolean().optional(),
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
  /** Requests at once. */
  concurrency: z.number().int().min(1).max(32).default(16),
  /** The record's property that identifies it, when the usual names are wrong. */
  identifiers: z
    .strictObject({
      project: z.string().optional(),
      task: z.string().optional(),
      user: z.string().optional(),
    })
    .default({}),
  /** `first` of each list, where the usual ones are too large for the service. */
  pageSize: z
    .strictObject({
      projects: pageSize.optional(),
      tasks: pageSize.optional(),
      auditLog: pageSize.optional(),
      users: pageSize.optional(),
    })
    .default({}),
  /** False: it is known that the service sends no `Date`, and nobody is told. */
  dateHeader: z.boolean().optional(),
  processes: z.array(processSettings).min(1),
});

export type ProcessSettings = z.infer<typeof processSettings>;
export type WorkspaceSettings = z.infer<typeof workspaceSettings>;

const workspaces = json.pipe(z.array(workspaceSettings).min(1));

/** The workspaces from `workspaces.json`, beside the bundle of a function: an environment has no room for them.
 *  @throws an error that names each setting that is wrong, but no value */
export function readWorkspaces(text: string): readonly WorkspaceSettings[] {
  const parsed = workspaces.safeParse(text);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${told(issue)}`);
  throw new Error(
    `workspaces.json is not as the deployment writes it. ${problems.join('; ')}. Deploy again.`,
  );
}
