import fc from 'fast-check';
import type { Json } from '../../../functions/basics/json.ts';
import type { Actor, ChangeEvent, FieldChange } from '../../../functions/model/event.ts';
import { textAt } from '../../simulation/texts.ts';
import { isEmpty, type Told } from '../told.ts';
import { change, commitOf, field } from './chat-batches.ts';

type Fields = Readonly<Record<string, Json>>;
/** The tasks of a project. */
type State = Readonly<Record<string, Fields | undefined>>;

export interface History {
  /** What was known before. */
  readonly before: Told;
  /** Events of commits that follow each other, in any order. */
  readonly events: readonly ChangeEvent[];
}

const VERSION = Date.UTC(2026, 10, 23, 9);
const TASKS = ['a', 'b', 'c'];
const MULTIPLE = 'Teams';

const values = fc.oneof(fc.constantFrom<Json>(null, 'Open', 'Done'), fc.nat(30).map(textAt));
const fields = fc
  .record({
    Status: values,
    'Due date': values,
    Note: values,
    [MULTIPLE]: fc.subarray(['x', 'y', 'z']),
  })
  .map((all): Fields => all);
const states: fc.Arbitrary<State> = fc.dictionary(fc.constantFrom(...TASKS), fields);
const actors = fc.constantFrom<Actor[] | undefined>(
  undefined,
  [{ id: 'u-1', name: 'Ann Lee' }],
  [
    { id: 'u-2', name: 'Bob Ray' },
    { id: 'u-1', name: 'Ann Lee' },
  ],
);

const project = fc.tuple(states, fc.array(fc.tuple(states, actors), { minLength: 1, maxLength: 4 }));

/** Changes of tasks that come, change, go back and go, in up to fourteen projects of one process. */
export const histories: fc.Arbitrary<History> = fc
  .oneof(
    fc.array(project, { minLength: 1, maxLength: 3 }),
    fc.array(project, { minLength: 9, maxLength: 14 }),
  )
  .chain(projects => {
    const events = projects.flatMap(([first, steps], index) =>
      steps.flatMap(([after, by], step) =>
        eventsBetween(steps[step - 1]?.[0] ?? first, after, { by, index, step }),
      ),
    );
    const before = projects.map(([first], index) => [`p-${index}`, { project: {}, tasks: knownIn(first) }]);
    return fc.record({
      before: fc.constant(Object.fromEntries(before)),
      events: fc.shuffledSubarray(events, { minLength: events.length }),
    });
  });

function eventsBetween(
  before: State,
  after: State,
  { by, index, step }: { readonly by: Actor[] | undefined; readonly index: number; readonly step: number },
): ChangeEvent[] {
  const changes = TASKS.flatMap(id => {
    const [old, now] = [before[id], after[id]];
    const changed = Object.keys(now ?? old ?? {}).flatMap(
      name => fieldBetween(name, old?.[name] ?? null, now?.[name] ?? null) ?? [],
    );
    const record = { id, name: `Task ${id}`, ...(now ?? old) };
    const action = old ? (now ? 'updated' : 'deleted') : 'created';
    if ((!old && !now) || (action === 'updated' && changed.length === 0)) return [];
    return [change(id, record.name, action === 'deleted' ? [] : changed, { action, record })];
  });
  const ofAll = Object.fromEntries(by ? TASKS.map(id => [id, by]) : []);
  const commit = {
    version: VERSION + 100 * step + index,
    projectId: `p-${index}`,
    name: `Project ${index}`,
    actors: ofAll,
  };
  return changes.length > 0 ? commitOf(changes, commit) : [];
}

function fieldBetween(name: string, from: Json, to: Json): FieldChange | undefined {
  if (JSON.stringify(from) === JSON.stringify(to) || (isEmpty(from) && isEmpty(to))) return undefined;
  if (name !== MULTIPLE) return field(name, from, to);
  const [old, now] = [from, to].map(value => (isEmpty(value) ? [] : (value as Json[]))) as [Json[], Json[]];
  const sets = {
    added: now.filter(each => !old.includes(each)),
    removed: old.filter(each => !now.includes(each)),
  };
  return field(name, from, to, { type: 'multiple-choice', ...sets });
}

function knownIn(state: State): Told[string]['tasks'] {
  return Object.fromEntries(
    Object.entries(state).map(([id, record = {}]) => [
      id,
      Object.fromEntries(
        Object.entries(record)
          .flatMap(([name, value]): [string, Json][] => (isEmpty(value) ? [] : [[name.toLowerCase(), value]]))
          .sort(),
      ),
    ]),
  );
}
