import type { Failure } from '../../functions/delivery/http/outcome.ts';

/** Something about a subscription that its operator wants to know. */
export interface Notice {
  /** `unconfirmed`: the handshake goes on; `retrying`: a delivery failed and is tried again; `dead-lettered`: it was given
   *  up and kept; `arrived`: after one that failed; `trouble`: something local failed, such as the disk. */
  readonly kind:
    | 'confirmed'
    | 'unconfirmed'
    | 'retrying'
    | 'arrived'
    | 'dead-lettered'
    | 'unsubscribed'
    | 'trouble';
  /** The subscription's name. */
  readonly name: string;
  /** One line for people, without the name. It shows nothing of the URL, which may hold a secret. */
  readonly text: string;
  /** The attempt, where the kind is `retrying`, `arrived` or `dead-lettered`. */
  readonly attempt?: Attempt;
}

export interface Attempt {
  readonly eventId: string;
  /** How many attempts the event has had, including this one. */
  readonly attempts: number;
  readonly failure?: Failure;
  /** The time until the next attempt, in ms. */
  readonly pause?: number;
}
