import type { AnswerTo } from './protocol/answers.ts';
import type { Request } from './protocol/requests.ts';

/** Whoever makes a request. */
export interface Caller {
  /** On AWS an ARN, elsewhere a user's name. */
  readonly who: string;
  /** Whether `who` was verified. */
  readonly isProven: boolean;
}

/** What people may ask and do (design.md §13): one interface, whoever asks and wherever it is answered. What
 *  was done is written down, with the name of who did it.
 *  @throws Refused for what can't be done; its message says why, and the remedy */
export type Operations = <Asked extends Request>(asked: Asked, caller: Caller) => Promise<AnswerTo<Asked>>;
