import * as z from 'zod';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { findEndpoint } from './house.ts';
import { type OperationsHouse, PAGE } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

/** A page of an endpoint's dead letters, the oldest first. */
export async function deadLettersPage(
  { endpoint, limit = PAGE, cursor }: RequestOf<'dead-letters'>,
  house: OperationsHouse,
): Promise<AnswerOf<'dead-letters'>> {
  await findEndpoint(endpoint, house);
  const behind = readCursor('dead-letters', cursor, z.string());
  const letters = await house.deliveries.dead(endpoint, limit, behind);
  const last = letters.length < limit ? undefined : letters.at(-1)?.place;
  return {
    deadLetters: letters.map(({ eventId, at, diedAt, reason, attempts }) => ({
      ...{ endpoint, eventId, reason, attempts },
      publishedAt: iso(at),
      diedAt: iso(diedAt),
    })),
    ...(last !== undefined && { cursor: cursorOf('dead-letters', last) }),
  };
}
