import { type Bug, edit } from './bug.ts';

/** Bugs in who is told to have made a change. */
export const ACTOR_BUGS: readonly Bug[] = [
  {
    name: 'actors of the neighbour entry',
    edits: [
      edit(
        'pass/audit-log/actors.ts',
        'about.map(({ users }) => knownAmong(users, names));',
        'about.map(fact => knownAmong((facts[facts.indexOf(fact) + 1] ?? fact).users, names));',
      ),
    ],
  },
];
