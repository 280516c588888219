import type { EndpointFilter } from './filter.ts';

/** What an endpoint is (DESIGN §9). */
export type EndpointKind = 'webhook' | 'slack' | 'teams';

/** One receiver of events, as it is configured. Its address and its signing secrets are secrets: they stand elsewhere. */
export interface EndpointSettings {
  readonly name: string;
  readonly kind: EndpointKind;
  /** Undefined: every event. */
  readonly filter?: EndpointFilter;
  /** Deliveries per second; by default what its kind can take. */
  readonly perSecond?: number;
}

/** What the secret holds: `{"url": "https://…", "secrets": ["whsec_…"]}`. */
export interface EndpointSecret {
  readonly url: string;
  /** Webhooks only: one, or two while the receiver changes from the old one to the new one. */
  readonly secrets?: readonly string[];
}

/** One POST to the secret's URL. */
export interface EndpointRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One message to a chat, which tells several events: the JSON body of its POST, and the ids of all the events that are
 *  settled by it, those that were cut included. */
export interface ChatMessage {
  readonly body: string;
  readonly eventIds: readonly string[];
}
