import * as z from 'zod';

/** An answer over a wire, or why there is none. */
export const reply = z.union([
  z.strictObject({ answer: z.json() }),
  z.strictObject({
    /** Why it can't be done, and the remedy, in words for people. */
    refused: z.string(),
    /** True when the request itself is wrong. */
    isUsage: z.boolean(),
  }),
]);

export type Reply = z.infer<typeof reply>;
