import { type Bug, edit } from '../bug.ts';

export const CHANGES: readonly Bug[] = [
  {
    name: 'empty is not missing',
    edits: [
      edit(
        'basics/empty.ts',
        "value === undefined || value === null || value === '' ||",
        'value === undefined ||',
      ),
    ],
  },
  {
    name: 'event id without version',
    edits: [
      edit('model/event-id.ts', 'encodePart(projectId), version, index]', 'encodePart(projectId), index]'),
    ],
  },
];
