import type { AnswerTo } from './protocol/answers.ts';
import type { Request } from './protocol/requests.ts';

/** Who asks. */
export interface Caller {
  /** On AWS an ARN, elsewhere a user's name. */
  readonly who: string;
  /** Whether somebody vouches for `who`. */
  readonly isProven: boolean;
}

/** What people may ask and do (design.md §13): one interface, whoever asks and wherever it is answered. Whatever was done is written down,
 *  with who did it.
 *  @throws Refused for what can't be done; its message says why, and the remedy */
export type Operations = <Asked extends Request>(asked: Asked, caller: Caller) => Promise<AnswerTo<Asked>>;
