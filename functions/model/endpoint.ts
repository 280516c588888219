import type { EndpointFilter } from './filter.ts';
import type { EndpointHeaders } from './headers.ts';
import { type EndpointKind, KINDS, type KindSettings } from './kinds.ts';

/** A name is a part of its secret's name, and of keys of the table. */
export const ENDPOINT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** One receiver of events. Its URL, and the key that signs its events, stand in its secret. */
export interface EndpointSettings extends KindSettings {
  readonly name: string;
  readonly kind: EndpointKind;
  /** Which events it gets; undefined: all. */
  readonly filter?: EndpointFilter | undefined;
  /** Requests a second while what waited for it is sent. By default 1 for a chat; for a webhook 10, and more
   *  while it accepts all of them. */
  readonly perSecond?: number | undefined;
  /** Whether attempts that succeeded are kept too; by default they are. */
  readonly keepSuccesses?: boolean | undefined;
  /** Whether its events have the records; by default they do. A chat shows changes only. */
  readonly record?: boolean | undefined;
}

/** The rate of a kind doubles each time after this many ms, up to its most. */
const DOUBLED_AFTER_MS = 15_000;

/** How many requests a second an endpoint gets that has accepted everything for `takenFor` ms. Without a
 *  configured rate, a webhook's rate grows: one that constantly gets new events faster than the first rate
 *  could never catch up. */
export function rateOf({ kind, perSecond }: EndpointSettings, takenFor = 0): number {
  if (perSecond !== undefined) return perSecond;
  const { first, most } = KINDS[kind].rate;
  return Math.min(most, first * 2 ** Math.floor(Math.max(0, takenFor) / DOUBLED_AFTER_MS));
}

/** The queue of an endpoint's new deliveries. Those of a batch wait a moment there for each other, as those of a
 *  chat do. */
export function queueOf({ kind, batch }: Pick<EndpointSettings, 'kind' | 'batch'>): 'deliveries' | 'chat' {
  return batch === undefined ? KINDS[kind].queue : 'chat';
}

/** What an endpoint's secret holds: `{"url": "https://…", "secrets": ["whsec_…"], "headers": {"X-Api-Key": "…"}}`. */
export interface EndpointSecret {
  readonly url: string;
  /** Only where requests are signed: one; two while the receiver changes from the old secret to the new one. */
  readonly secrets?: readonly string[];
  /** Sent with each request. */
  readonly headers?: EndpointHeaders | undefined;
}

/** One POST to the endpoint's URL. */
export interface EndpointRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** URLs of a workspace's records, with the placeholders `{processId}`, `{projectId}` and, for tasks,
 *  `{taskId}`. The configuration checks them. */
export interface LinkTemplate {
  readonly workspace: string;
  readonly project?: string | undefined;
  readonly task?: string | undefined;
}

export type LinkTemplates = readonly LinkTemplate[];
