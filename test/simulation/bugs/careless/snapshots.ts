import { type Bug, edit } from '../bug.ts';

export const SNAPSHOTS: readonly Bug[] = [
  {
    name: 'a deletion that asks for no version',
    tests: ['store/contract.test.ts'],
    edits: [
      edit(
        'store/dynamo/projects.ts',
        'Key: projectKey(process, projectId), ...condition }',
        'Key: projectKey(process, projectId) }',
      ),
    ],
  },
  {
    name: 'parts of the state removed only where none is set',
    edits: [
      edit('store/dynamo/state.ts', 'removed.length > 0 ?', 'removed.length > 0 && set.length === 0 ?'),
    ],
  },
  {
    name: 'as many keys asked again as were left, not those',
    edits: [
      edit(
        'store/dynamo/requests.ts',
        'rest = [...left, ...rest.slice(MAX_BATCH)]',
        'rest = rest.slice(asked.length - left.length)',
      ),
    ],
  },
];
