import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Address } from '../../local/operate/address.ts';

/** Sends a request to whoever answers: a run, its store, or a stack. @throws Refused, and UsageError for
 *  a request that isn't as it must be */
export type Ask = <Asked extends Request>(request: Asked) => Promise<AnswerTo<Asked>>;

export interface Connection {
  readonly ask: Ask;
  /** Where a run has its console. */
  readonly page?: Pick<Address, 'url' | 'token'>;
  /** The data directory of a run. */
  readonly directory?: string;
  close(): Promise<void>;
}

/** Which run or stack is to answer, as the command line says. */
export interface Place {
  /** A stack on AWS, and its region; undefined: this machine. */
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  /** The data directory of a run on this machine. */
  readonly data?: string | undefined;
}

/** The run that answered before has ended. */
export class Gone extends Refused {}
