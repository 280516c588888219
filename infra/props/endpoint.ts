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

/** What must be so of one changed field: all that is given, each by any of its values. `""` stands for no value. */
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
