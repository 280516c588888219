import { UsageError } from '../../local/basics/usage-error.ts';
import type { Place } from '../connect/connection.ts';

/** Rejects options that select a run or stack. @throws UsageError; `why` is the command's own sentence */
export function requireNoPlace(place: Place, why: string): void {
  const given = (['stack', 'region', 'data'] as const).find(option => place[option] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is not supported by this command. ${why}`);
}
