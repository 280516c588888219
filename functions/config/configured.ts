import type { EndpointSettings, LinkTemplate } from '../model/endpoint.ts';
import type { ExpectedSubscription } from '../topic/watch-subscriptions.ts';
import type { Config } from './schema.ts';
import { linkTemplatesOf } from './workspace.ts';

/** The part of the configuration that is bundled with the functions that serve endpoints, as
 *  `configured.json`. It is a file because an environment has 4 KB, room for some dozen endpoints.
 *  Nothing in it is secret. */
export interface Configured {
  readonly endpoints: readonly EndpointSettings[];
  readonly linkTemplates: readonly LinkTemplate[];
  readonly subscriptions: readonly ExpectedSubscription[];
  /** The processes, each of which has a journal. */
  readonly processes: readonly { readonly workspace: string; readonly processId: string }[];
}

/** The name of that file, beside the bundled code. */
export const CONFIGURED = 'configured.json';

/** The content of that file. What isn't configured is left out, because the functions have the defaults. */
export function configuredOf(config: Config): Configured {
  return {
    endpoints: config.endpoints.map(({ name, kind, filter, perSecond, keepSuccesses }) => ({
      name,
      kind,
      ...(filter && { filter }),
      ...(perSecond !== undefined && { perSecond }),
      ...(keepSuccesses !== undefined && { keepSuccesses }),
    })),
    linkTemplates: linkTemplatesOf(config),
    subscriptions: config.subscriptions.map(({ name, url }) => ({ name, url })),
    processes: config.workspaces.flatMap(({ name: workspace, processes }) =>
      processes.map(({ id: processId }) => ({ workspace, processId })),
    ),
  };
}
