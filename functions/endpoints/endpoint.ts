import type { EndpointFilter } from './filter.ts';

/** What an endpoint is (design.md §9). */
export type EndpointKind = 'webhook' | 'slack' | 'teams';

/** One receiver of events. Where it is, and how its events are signed, is its secret. */
export interface EndpointSettings {
  readonly name: string;
  readonly kind: EndpointKind;
  /** Which events it gets; undefined: all. */
  readonly filter?: EndpointFilter | undefined;
  /** Requests a second while what waited for it is sent. By default 1 of a chat; of a webhook 10, and more as long as it takes them. */
  readonly perSecond?: number | undefined;
  /** Whether attempts that succeeded are kept, beside those that failed; they are by default. */
  readonly keepSuccesses?: boolean | undefined;
}

/** Requests a second at first, at most, and what the one becomes the other by: doubled each time. */
const RATE = { first: 10, most: 100, doubledAfterMs: 15_000 };

/** Requests a second to an endpoint that took all that was sent for so long, in ms. A webhook whose rate nobody has set gets more and
 *  more: one that always gets more than it would at first could never catch up. */
export function rateOf({ kind, perSecond }: EndpointSettings, takenFor = 0): number {
  if (perSecond !== undefined) return perSecond;
  if (kind !== 'webhook') return 1;
  return Math.min(RATE.most, RATE.first * 2 ** Math.floor(takenFor / RATE.doubledAfterMs));
}

/** What an endpoint's secret holds: `{"url": "https://…", "secrets": ["whsec_…"]}`. */
export interface EndpointSecret {
  readonly url: string;
  /** Webhooks only: one, or two while the receiver changes from the old one to the new one. */
  readonly secrets?: readonly string[];
}

/** One POST to the endpoint's URL. */
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
