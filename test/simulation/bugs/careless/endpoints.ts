import { type Bug, edit } from '../bug.ts';

export const ENDPOINTS: readonly Bug[] = [
  {
    name: 'the answer to an earlier post taken for that to this one',
    edits: [
      edit('delivery/http/post.ts', '      let reached: Answer | undefined;\n', ''),
      edit(
        'delivery/http/post.ts',
        '  return {\n    close:',
        '  let reached: Answer | undefined;\n  return {\n    close:',
      ),
    ],
  },
  {
    name: 'that a field is in use again left out of chats',
    edits: [
      edit(
        'delivery/chat/chat-topic.ts',
        "action === 'archived'\n      ? field === 'archived'",
        "field === 'archived'\n      ? true",
      ),
    ],
  },
];
