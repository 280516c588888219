import { CARELESS as CARELESS_BUGS } from './careless.ts';
import { DELIVERY } from './delivery.ts';
import { DUE } from './due.ts';
import { OPERATIONS } from './operations.ts';
import { PASS } from './pass.ts';
import { SCHEDULE } from './schedule.ts';
import { STORE } from './store.ts';

/** A deliberate bug: its name, and how it is put into the code. Each `find` occurs exactly once in its file. */
export interface Bug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** What finds it, if the simulation doesn't: a file under `test/`, or the enumeration of a small world, by a part of its name. */
  readonly foundBy: FoundBy | undefined;
}

type FoundBy = string | { readonly world: string };
/** In the file under which it stands, or in another one. */
type Edit = readonly [find: string, replace: string, file?: string];
type Edits =
  | readonly [find: string, replace: string, by?: FoundBy]
  | readonly [readonly Edit[], by?: FoundBy];

/** By file, in `functions/` unless it is named with its folder, and by name. */
export type BugsByFile = Readonly<Record<string, Readonly<Record<string, Edits>>>>;

export const CARELESS = bugsIn(CARELESS_BUGS);
export const BUGS: readonly Bug[] = [
  ...[PASS, STORE, DELIVERY, SCHEDULE, DUE, OPERATIONS].flatMap(bugsIn),
  ...CARELESS,
];

function bugsIn(bugs: BugsByFile): Bug[] {
  return Object.entries(bugs).flatMap(([file, named]) =>
    Object.entries(named).map(([name, of]) => {
      const [edits, foundBy] = isOfOne(of) ? [[[of[0], of[1]] as const], of[2]] : of;
      return { name, edits: edits.map(each => edit(file, each)), foundBy };
    }),
  );
}

function isOfOne(edits: Edits): edits is readonly [find: string, replace: string, by?: FoundBy] {
  return typeof edits[0] === 'string';
}

function edit(file: string, [find, replace, other = file]: Edit) {
  return { file: other.startsWith('local/') ? other : `functions/${other}`, find, replace };
}
