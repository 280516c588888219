import type { Duration } from 'aws-cdk-lib';

/** How often changes are looked for, by what was found: `fastest` after a pass that found something, twice as
 *  long after each that did not, until it is `slowest`. */
export interface ChangesProps {
  /** The time until the next pass, after one that found something: 5 seconds to 24 hours. */
  readonly fastest: Duration | string;

  /** The longest time until the next pass, after many that found nothing: no shorter than `fastest`, 24 hours at
   *  most. */
  readonly slowest: Duration | string;
}
