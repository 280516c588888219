import * as z from 'zod';
import type { Attempt } from '../store/deliveries.ts';
import { cursorOf, iso, readCursor } from './cursor.ts';
import { findEndpoint } from './house.ts';
import { type OperationsHouse, PAGE } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';

/** A page ends after so many attempts, if those of one event are searched for. */
const SEARCHED = 1_000;
/** How many are read at once in such a search. */
const SLICE = 100;

const place = z.strictObject({ at: z.number(), first: z.string().optional() });
type Place = z.infer<typeof place>;

/** A page of an endpoint's attempts, or of those that sent one event, the newest first. */
export async function attemptsPage(
  { endpoint, eventId, limit = PAGE, cursor }: RequestOf<'attempts'>,
  house: OperationsHouse,
): Promise<AnswerOf<'attempts'>> {
  await findEndpoint(endpoint, house);
  const from = readCursor<Place>('attempts', cursor, place);
  // No attempt before the commit can have sent the event. If the journal has it no longer, all are searched.
  const since = eventId === undefined ? undefined : (await house.journal.find(eventId))?.at;
  const isMeant = ({ events }: Attempt) => eventId === undefined || events.some(({ id }) => id === eventId);
  const attempts: Attempt[] = [];
  let behind = from && attemptAt(from);
  for (let read = 0; read < SEARCHED && attempts.length < limit; ) {
    const size = eventId === undefined ? limit : SLICE;
    const slice = await house.deliveries.attempts(endpoint, size, { behind, since });
    for (const attempt of slice) {
      if (attempts.length === limit) break;
      behind = attempt;
      if (isMeant(attempt)) attempts.push(attempt);
    }
    read += slice.length;
    if (slice.length < size && attempts.length < limit) return { attempts: attempts.map(attemptAnswer) };
  }
  const next = behind && { at: behind.at, first: behind.events[0]?.id };
  return { attempts: attempts.map(attemptAnswer), ...(next && { cursor: cursorOf('attempts', next) }) };
}

function attemptAt({ at, first }: Place): Pick<Attempt, 'at' | 'events'> {
  return { at, events: first === undefined ? [] : [{ id: first, type: '' }] };
}

export function attemptAnswer({ at, ...attempt }: Attempt): AnswerOf<'test-endpoint'> {
  return { ...attempt, at: iso(at), events: attempt.events.map(({ id, type }) => ({ id, type })) };
}
