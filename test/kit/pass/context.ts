import type { PassContext } from '../../../functions/pass/context/context.ts';
import { AT } from '../time.ts';

/** The context of a pass over process `p` of workspace `eu` at AT, with these parts. A test gives all that its code asks for. */
export function passContext(parts: object): PassContext {
  return {
    ...{ process: { workspace: 'eu', processId: 'p' }, settings: {}, clock: () => AT },
    ...{ heartbeat: { beat: async () => undefined } },
    ...parts,
  } as unknown as PassContext;
}
