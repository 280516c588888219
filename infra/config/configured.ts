import type { LinkTemplate } from '../../functions/endpoints/chat-links.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import type { ExpectedSubscription } from '../../functions/topic/watch-subscriptions.ts';
import { linkTemplatesOf } from './link-template.ts';
import type { Config } from './schema.ts';

/** What of the configuration is bundled with the functions that serve endpoints, as `configured.json`: an environment of 4 KB
 *  would hold some dozen endpoints. Nothing in it is secret. */
export interface Configured {
  readonly endpoints: readonly EndpointSettings[];
  readonly linkTemplates: readonly LinkTemplate[];
  readonly subscriptions: readonly ExpectedSubscription[];
  /** Whose journals there are. */
  readonly processes: readonly { readonly workspace: string; readonly processId: string }[];
}

/** The name of that file, beside the bundled code. */
export const CONFIGURED = 'configured.json';

/** Its content: what isn't configured is left out, for the defaults live with the functions. */
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
