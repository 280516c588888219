import * as z from 'zod';
import type { Json } from '../../basics/json.ts';

/** What the data of several kinds of events has. */

export const json: z.ZodType<Json> = z.any().meta({ description: 'Any JSON value, as the service sent it.' });
export const identifier = z.string().min(1);
export const timestamp = z.iso.datetime();

export const actor = z.strictObject({
  id: identifier.meta({ description: "The user's identifier, as text." }),
  name: z.string().optional().meta({ description: 'The name, if the service tells it.' }),
});

export const process = z.strictObject({ id: identifier });
