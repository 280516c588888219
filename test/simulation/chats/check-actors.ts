import type { Actor } from '../../../functions/model/event.ts';
import { visible } from '../../kit/delivery/shown.ts';
import { isCutOf, splits } from './tells.ts';

/** Names are cut to this length, so that a phone can show them. */
const NAME_LIMIT = 60;
/** Of more actors than this two are named. */
const MAX_COUNT = 3;

/** Whether a text names these actors, in their order: all of up to three; of more the first two, and how many
 *  others there are. */
export function namesActors(text: string, actors: readonly Actor[]): boolean {
  const shown = visible(text);
  if (actors.length <= MAX_COUNT) return isInTurn(shown, actors);
  const others = ` and ${actors.length - 2} others`;
  return (
    shown.endsWith(others) &&
    splits(shown.slice(0, -others.length), ', ').some(
      ([first, second]) => isActor(first, actors[0]) && isActor(second, actors[1]),
    )
  );
}

function isInTurn(text: string, [first, ...others]: readonly Actor[]): boolean {
  if (others.length === 0) return isActor(text, first);
  return splits(text, others.length === 1 ? ' and ' : ', ').some(
    ([one, rest]) => isActor(one, first) && isInTurn(rest, others),
  );
}

function isActor(shown: string, actor: Actor | undefined): boolean {
  if (!actor) return false;
  const { id, name = '' } = actor;
  const called = visible(name) === '' ? id : name;
  return visible(called) === '' ? shown === '(no name)' : isCutOf(shown, called, NAME_LIMIT);
}
