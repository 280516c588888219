import type { AssertionError } from '../../../functions/basics/assert.ts';

/** For each assertion of an area: a call of the product that a defect makes, of a collaborator or in its
 *  input. It returns what the product logged or answered, or rejects. */
export type Trips<Area extends string> = Readonly<
  Record<Extract<AssertionError['assertion'], `${Area}.${string}`>, () => unknown>
>;

/** All that a call shows of a failed assertion, as a text. */
export async function shownBy(call: () => unknown): Promise<string> {
  try {
    return JSON.stringify(await call()) ?? 'nothing';
  } catch (error) {
    return (error as Error).message;
  }
}
