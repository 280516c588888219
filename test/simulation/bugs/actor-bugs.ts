import { type Bug, edit } from './bug.ts';

/** Bugs in who is told to have made a change. */
export const ACTOR_BUGS: readonly Bug[] = [
  {
    name: 'actors of the neighbour entry',
    edits: [
      edit(
        'reading/actors.ts',
        '(isAbout(fact) ? (users[index] ?? []) : [])',
        '(isAbout(fact) ? (users[index + 1] ?? users[index] ?? []) : [])',
      ),
    ],
  },
];
