import type { Duration } from 'aws-cdk-lib';
import type { EventType } from '../../functions/model/event.ts';
import type { EndpointKind, KindSettings } from '../../functions/model/kinds.ts';

/** A receiver that Changewire delivers to. Its address is a secret: a SecureString parameter of SSM,
 *  `/changewire/<name of the whole>/endpoints/<name>`, which you make. */
export interface EndpointProps extends KindSettings {
  /** Names it in the table, the logs and its parameter: 1 to 64 letters, digits, "-" and "_". No other endpoint
   *  or subscription may have it. */
  readonly name: string;

  /** A signed webhook (Standard Webhooks), or one of the chats of docs/chat.md. */
  readonly kind: EndpointKind;

  /** Which events it gets.
   *  @default - every event */
  readonly filter?: FilterProps;

  /** The most deliveries a second, when many wait for it: 1 to 100.
   *  @default - 1 for a chat; 10 for a webhook, up to 100 as long as all is taken */
  readonly perSecond?: number;

  /** Whether attempts that succeeded are kept for 7 days, as those that failed are.
   *  @default true */
  readonly keepSuccesses?: boolean;
}

/** Which events an endpoint gets: an event must match every key that is given, by any of its entries. */
export interface FilterProps {
  /** What happened.
   *  @default - any */
  readonly events?: readonly EventType[];

  /** Names of workspaces.
   *  @default - any */
  readonly workspaces?: readonly string[];

  /** Ids of processes.
   *  @default - any */
  readonly processes?: readonly string[];

  /** Ids of projects.
   *  @default - any */
  readonly projects?: readonly string[];

  /** Changed fields, by their ids or by the names that people see.
   *  @default - any */
  readonly fields?: readonly string[];

  /** Conditions of which one of the changed fields must meet one.
   *  @default - none */
  readonly values?: readonly ValueFilterProps[];

  /** Ids or names of users, one of whom made the change.
   *  @default - any */
  readonly actors?: readonly string[];

  /** Ids or names of users: events that are known to be made by these alone are left out.
   *  @default - none */
  readonly exceptActors?: readonly string[];
}

/** A condition on one changed field: every property must match, with any of its values. `""` stands for no value. */
export interface ValueFilterProps {
  /** The field, by its id or by the name that people see. */
  readonly field: string;

  /** What it was.
   *  @default - any */
  readonly from?: FieldValue | readonly FieldValue[];

  /** What it is.
   *  @default - any */
  readonly to?: FieldValue | readonly FieldValue[];

  /** A choice that came, of a multiple choice.
   *  @default - any */
  readonly added?: FieldValue | readonly FieldValue[];

  /** A choice that went, of a multiple choice.
   *  @default - any */
  readonly removed?: FieldValue | readonly FieldValue[];
}

/** A value of a field. */
export type FieldValue = string | number | boolean;

/** An HTTP(S) receiver that SNS itself delivers to. It gets nothing before it has answered SNS's handshake. */
export interface SubscriptionProps {
  /** Names it in logs: 1 to 64 letters, digits, "-" and "_". No other subscription or endpoint may have it. */
  readonly name: string;

  /** Where SNS posts. */
  readonly url: string;

  /** Whether an http:// address is accepted. Over it events travel unencrypted.
   *  @default false */
  readonly allowInsecure?: boolean;

  /** Whether the body is the event alone, instead of SNS's envelope, which carries the signature.
   *  @default false */
  readonly raw?: boolean;

  /** Which events it gets.
   *  @default - every event */
  readonly filter?: SubscriptionFilterProps;

  /** How SNS tries again.
   *  @default - for some 40 minutes */
  readonly delivery?: DeliveryProps;
}

/** Which events a subscription gets, by message attributes: an event must match every key that is given, by any
 *  of its values. The numbers of values multiply to 150 at most. */
export interface SubscriptionFilterProps {
  /** What happened.
   *  @default - any */
  readonly eventType?: readonly EventType[];

  /** Names of workspaces.
   *  @default - any */
  readonly workspace?: readonly string[];

  /** Ids of processes.
   *  @default - any */
  readonly processId?: readonly string[];

  /** Ids of projects.
   *  @default - any */
  readonly projectId?: readonly string[];

  /** Ids of fields, of which one has changed.
   *  @default - any */
  readonly changedFields?: readonly string[];
}

/** How SNS tries again. The three phases together are `retries` at most, and all tries must fit into one hour. */
export interface DeliveryProps {
  /** The shortest wait between two tries: a second to an hour.
   *  @default "1s" */
  readonly minDelay?: Duration | string;

  /** The longest wait: at least `minDelay`, an hour at most.
   *  @default "60s" */
  readonly maxDelay?: Duration | string;

  /** Tries after the first, all phases together: 0 to 100.
   *  @default 50 */
  readonly retries?: number;

  /** First phase, at once: 0 to 100.
   *  @default 3 */
  readonly noDelayRetries?: number;

  /** Second phase, `minDelay` apart: 0 to 100.
   *  @default 2 */
  readonly minDelayRetries?: number;

  /** Last phase, `maxDelay` apart: 0 to 100.
   *  @default 35 */
  readonly maxDelayRetries?: number;

  /** How the waits grow between the second phase and the last.
   *  @default "exponential" */
  readonly backoff?: 'linear' | 'arithmetic' | 'geometric' | 'exponential';

  /** The most deliveries a second: 1 to 1,000.
   *  @default - no limit */
  readonly maxPerSecond?: number;

  /** The `Content-Type` header that SNS sends.
   *  @default "text/plain; charset=UTF-8" */
  readonly contentType?: 'application/json' | 'text/plain; charset=UTF-8';
}
