import type { Duration } from 'aws-cdk-lib';
import type { EventType, FilterType } from '../../functions/model/event.ts';
import type { EndpointKind, KindSettings } from '../../functions/model/kinds.ts';

/** A receiver that Changewire delivers to. Its address is a secret: a SecureString parameter of SSM,
 *  `/changewire/<name of the stack>/endpoints/<name>`, which you create. */
export interface EndpointProps extends KindSettings {
  /** The unique name of the endpoint: 1 to 64 letters, digits, "-" and "_". Subscriptions and endpoints share the
   *  names. */
  readonly name: string;

  /** A signed webhook (Standard Webhooks), or a chat of docs/chat.md. */
  readonly kind: EndpointKind;

  /** The events to deliver.
   *  @default - every event */
  readonly filter?: FilterProps;

  /** The maximum number of deliveries per second from a backlog: 1 to 100.
   *  @default - 1 for a chat; 10 for a webhook, up to 100 while all deliveries succeed */
  readonly perSecond?: number;

  /** Whether successful attempts are kept, like failed ones.
   *  @default true */
  readonly keepSuccesses?: boolean;

  /** Whether the events have the records. Not for a chat.
   *  @default true */
  readonly record?: boolean;
}

/** The events of an endpoint: an event must match every given key, with any of its entries. */
export interface FilterProps {
  /** Event types. Those of events about other endpoints are sent only if they are named here.
   *  @default - any */
  readonly events?: readonly FilterType[];

  /** Names of workspaces.
   *  @default - any */
  readonly workspaces?: readonly string[];

  /** Ids of processes.
   *  @default - any */
  readonly processes?: readonly string[];

  /** Ids of projects.
   *  @default - any */
  readonly projects?: readonly string[];

  /** Changed fields, by id or display name.
   *  @default - any */
  readonly fields?: readonly string[];

  /** Conditions on changed fields, of which one must match.
   *  @default - none */
  readonly values?: readonly ValueFilterProps[];

  /** Conditions on fields, as docs/filters.md describes them. All must hold; of a list of groups, those of one group.
   *  @default - none */
  readonly where?: ConditionsProps | readonly ConditionsProps[];

  /** Ids or names of users, of which one made the change.
   *  @default - any */
  readonly actors?: readonly string[];

  /** Ids or names of users: events that only these users are known to have made are left out.
   *  @default - none */
  readonly exceptActors?: readonly string[];
}

/** A condition on a changed field: every property must match, with any of its values. `""` means no value. */
export interface ValueFilterProps {
  /** The field, by id or display name. */
  readonly field: string;

  /** The value before the change.
   *  @default - any */
  readonly from?: FieldValue | readonly FieldValue[];

  /** The value after the change.
   *  @default - any */
  readonly to?: FieldValue | readonly FieldValue[];

  /** An option that was added to a multiple choice.
   *  @default - any */
  readonly added?: FieldValue | readonly FieldValue[];

  /** An option that was removed from a multiple choice.
   *  @default - any */
  readonly removed?: FieldValue | readonly FieldValue[];
}

/** A value of a field. */
export type FieldValue = string | number | boolean;

/** One or several values. */
export type FieldValues = FieldValue | readonly FieldValue[];

/** Conditions by field, as in docs/filters.md. */
export type ConditionsProps = Readonly<Record<string, FieldValues | FieldTestsProps>>;

/** Tests of a value. */
export type ValueTestsProps = Readonly<{
  in?: FieldValues;
  contains?: FieldValues;
  above?: string | number;
  below?: string | number;
  before?: string;
  after?: string;
  exists?: boolean;
}>;

/** Tests of a value, and what it must not be. */
export type NegatedTestsProps = ValueTestsProps & Readonly<{ not?: FieldValues | ValueTestsProps }>;

/** Tests of a field. */
export type FieldTestsProps = NegatedTestsProps &
  Readonly<{
    became?: FieldValues | NegatedTestsProps;
    moved?: 'later' | 'earlier' | 'more' | 'less';
  }>;

/** An HTTP(S) receiver that SNS delivers to, once it has confirmed the subscription. */
export interface SubscriptionProps {
  /** The unique name of the subscription: 1 to 64 letters, digits, "-" and "_". Subscriptions and endpoints share the
   *  names. */
  readonly name: string;

  /** The URL that SNS posts to. */
  readonly url: string;

  /** Whether an http:// URL is accepted, which sends events unencrypted.
   *  @default false */
  readonly allowInsecure?: boolean;

  /** Whether the body is only the event, without the SNS envelope, which has the signature.
   *  @default false */
  readonly raw?: boolean;

  /** The events to deliver.
   *  @default - every event */
  readonly filter?: SubscriptionFilterProps;

  /** How SNS retries.
   *  @default - for about 40 minutes */
  readonly delivery?: DeliveryProps;
}

/** The events of a subscription, by message attributes: an event must match every given key, with any of its values.
 *  The product of the numbers of values is at most 150. */
export interface SubscriptionFilterProps {
  /** Event types.
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

  /** Ids of fields, of which one must have changed.
   *  @default - any */
  readonly changedFields?: readonly string[];
}

/** How SNS retries. The three phases add up to at most `retries`, and all attempts must fit into one hour. */
export interface DeliveryProps {
  /** The shortest delay between two attempts: a second to an hour.
   *  @default "1s" */
  readonly minDelay?: Duration | string;

  /** The longest delay: `minDelay` to an hour.
   *  @default "60s" */
  readonly maxDelay?: Duration | string;

  /** Retries of all phases: 0 to 100.
   *  @default 50 */
  readonly retries?: number;

  /** Retries of the first phase, without delay: 0 to 100.
   *  @default 3 */
  readonly noDelayRetries?: number;

  /** Retries of the second phase, `minDelay` apart: 0 to 100.
   *  @default 2 */
  readonly minDelayRetries?: number;

  /** Retries of the last phase, `maxDelay` apart: 0 to 100.
   *  @default 35 */
  readonly maxDelayRetries?: number;

  /** How the delay grows from the second phase to the last.
   *  @default "exponential" */
  readonly backoff?: 'linear' | 'arithmetic' | 'geometric' | 'exponential';

  /** The maximum number of deliveries per second: 1 to 1,000.
   *  @default - no limit */
  readonly maxPerSecond?: number;

  /** The `Content-Type` header that SNS sends.
   *  @default "text/plain; charset=UTF-8" */
  readonly contentType?: 'application/json' | 'text/plain; charset=UTF-8';
}
