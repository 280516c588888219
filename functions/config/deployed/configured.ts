import { readFileSync } from 'node:fs';
import * as z from 'zod';
import type { EndpointSettings, LinkTemplate } from '../../model/endpoint.ts';
import type { EventType } from '../../model/event.ts';

const values = z.array(z.union([z.string(), z.number(), z.boolean()])).optional();

const names = z.array(z.string()).optional();

/** One receiver of events that `deliver.ts` serves. */
export const endpointSettings = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  kind: z.enum(['webhook', 'slack', 'teams']),
  filter: z
    .strictObject({
      // The types are known ones: the configuration was checked before.
      events: z.array(z.custom<EventType>(type => typeof type === 'string')).optional(),
      workspaces: names,
      processes: names,
      projects: names,
      fields: names,
      values: z
        .array(
          z.strictObject({ field: z.string(), from: values, to: values, added: values, removed: values }),
        )
        .optional(),
      actors: names,
      exceptActors: names,
    })
    .optional(),
  perSecond: z.number().int().min(1).max(100).optional(),
  keepSuccesses: z.boolean().optional(),
}) satisfies z.ZodType<EndpointSettings>;

/** The links to a workspace's records. */
export const linkTemplate: z.ZodType<LinkTemplate> = z.strictObject({
  workspace: z.string().min(1),
  project: z.string().optional(),
  task: z.string().optional(),
});

/** The part of the configuration that is bundled with the code of the delivering functions. Only a deployment
 *  changes it. */
export interface Configured {
  readonly endpoints: readonly EndpointSettings[];
  readonly linkTemplates: readonly LinkTemplate[];
  /** Native subscriptions of SNS; the tick watches them. */
  readonly subscriptions: readonly { readonly name: string; readonly url: string }[];
  /** The processes that are polled. */
  readonly processes: readonly { readonly workspace: string; readonly processId: string }[];
}

const configured = z.strictObject({
  endpoints: z.array(endpointSettings),
  linkTemplates: z.array(linkTemplate),
  subscriptions: z.array(z.strictObject({ name: z.string().min(1), url: z.url() })),
  processes: z.array(z.strictObject({ workspace: z.string().min(1), processId: z.string().min(1) })),
});

/** Reads `configured.json` beside the bundle of a function.
 *  @throws an error that names the file and what is wrong with it */
export function readConfigured(file: URL): Configured {
  const parsed = configured.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(
    `configured.json is not as the deployment writes it. ${problems.join('; ')}. Deploy again.`,
  );
}
