import type { JsonObject } from '../basics/json.ts';
import type { Look } from './look.ts';

/** What was seen: the first and the last look, and an edit between. */
export interface Observed {
  readonly first: Look;
  readonly last: Look;
  readonly edit?:
    | {
        readonly id: string;
        readonly was: JsonObject | undefined;
        readonly is: JsonObject | undefined;
        /** The edit became visible between these two times by the service's clock. */
        readonly notBefore: number;
        readonly seenAt: number;
      }
    | undefined;
  /** The looks from the first that showed the edit. */
  readonly traces?: readonly Look[];
}

export type Edit = NonNullable<Observed['edit']>;
