import { type Bug, edit } from '../bug.ts';

export const ENDPOINTS: readonly Bug[] = [
  {
    name: 'the answer to an earlier post taken for that to this one',
    edits: [
      edit('endpoints/post.ts', '      let reached: Answer | undefined;\n', ''),
      edit(
        'endpoints/post.ts',
        '  return {\n    close:',
        '  let reached: Answer | undefined;\n  return {\n    close:',
      ),
    ],
  },
  {
    name: 'that a field is in use again left out of chats',
    edits: [
      edit(
        'endpoints/chat-fields.ts',
        "action === 'archived'\n      ? field === 'archived'",
        "field === 'archived'\n      ? true",
      ),
    ],
  },
];
