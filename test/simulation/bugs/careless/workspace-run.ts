import { type Bug, edit } from '../bug.ts';

export const WORKSPACE_RUN: readonly Bug[] = [
  {
    name: 'a sweep that is not finished dropped as if it were',
    edits: [
      edit('handlers/workspace-run.ts', 'dueAt === 0 || state.isSweepUnfinished || ', 'dueAt === 0 || '),
    ],
  },
];
