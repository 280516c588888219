import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { PageAddress } from '../../local/operate/address.ts';

/** Sends a request to a run, its store, or a stack. @throws Refused; UsageError for an invalid request */
export type Ask = <Asked extends Request>(request: Asked) => Promise<AnswerTo<Asked>>;

export interface Connection {
  readonly ask: Ask;
  /** The address of the run's console. */
  readonly page?: PageAddress;
  /** The data directory of the run or store. */
  readonly directory?: string;
  close(): Promise<void>;
}

/** The run or stack that the command line addresses. */
export interface Place {
  /** A stack on AWS and its region; undefined: this machine. */
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  /** The data directory of a run on this machine. */
  readonly data?: string | undefined;
}

/** The connected run has ended. */
export class Gone extends Refused {}
