import type { JsonObject } from '../../basics/json.ts';
import type { Look } from './look.ts';

/** What a watch saw: looks before and after, and the edit between. */
export interface Observed {
  readonly first: Look;
  readonly last: Look;
  readonly edit?:
    | {
        readonly id: string;
        readonly was: JsonObject | undefined;
        readonly is: JsonObject | undefined;
        /** Between these two times, by the service's clock, it was made visible. */
        readonly notBefore: number;
        readonly seenAt: number;
      }
    | undefined;
  /** The looks since, the one that showed it first. */
  readonly traces?: readonly Look[];
}

export type Edit = NonNullable<Observed['edit']>;
