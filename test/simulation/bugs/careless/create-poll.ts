import { type Bug, edit } from '../bug.ts';

export const CREATE_POLL: readonly Bug[] = [
  {
    name: 'the unfinished sweep taken up in the wrong mode',
    edits: [edit('handlers/create-poll.ts', "      mode = 'sweep';\n", '')],
  },
];
