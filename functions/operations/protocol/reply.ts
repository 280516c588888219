import * as z from 'zod';

/** What comes back over a wire: the answer, or why there is none. */
export const reply = z.union([
  z.strictObject({ answer: z.json() }),
  z.strictObject({
    /** Why it can't be done, and the remedy, in words for people. */
    refused: z.string(),
    /** The request itself was not as it must be. */
    isUsage: z.boolean(),
  }),
]);

export type Reply = z.infer<typeof reply>;
