import { type Bug, edit } from '../bug.ts';

export const CREATE_POLL: readonly Bug[] = [
  {
    name: 'a sweep that is not finished dropped as if it were',
    edits: [edit('handlers/create-poll.ts', 'dueAt === 0 || state.isSweepUnfinished || ', 'dueAt === 0 || ')],
  },
];
