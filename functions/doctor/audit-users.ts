import type { JsonObject } from '../basics/json.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import { factsOf } from '../pass/audit-log/entry-facts.ts';
import type { Asker } from './asker.ts';
import { found, type Seen } from './examination.ts';
import { judge } from './identifiers.ts';
import { readUsers } from './list-names.ts';
import { textOf } from './lists.ts';

const WHO = 'audit log names users';

/** Whether events can tell who made a change: by how many entries passes could do so (docs/decisions/0115-who-made-a-change.md). */
export async function judgeUsers(asker: Asker, entries: readonly JsonObject[], on: Seen): Promise<Finding> {
  const users = await readUsers(asker);
  const { property = 'id' } = judge('user', users.items, users.answers);
  const ids = new Set(users.items.map(user => textOf(user[property])).filter(id => id !== ''));
  const facts = entries.map(entry => factsOf(entry, Number.POSITIVE_INFINITY));
  const naming = facts.filter(fact => fact.users.flat().some(id => ids.has(id)));
  const telling = naming.filter(({ time }) => time !== undefined);
  const of = `${telling.length} of ${entries.length} entries`;
  const here = {
    asked: [...on.asked, ...users.answers],
    came: `${ids.size} users; ${of} name one, with a time`,
  };
  if (telling.length > 0)
    return found(WHO, 'fine', `${of} name a user and a time: events tell who made such a change.`, here);
  const why = naming.length > 0 ? 'Its entries have no time' : 'No entry names a user of the list of users';
  return found(WHO, 'fine', `${why}: events do not tell who made a change.`, here);
}
