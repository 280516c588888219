import { join } from 'node:path';
import { batches, templates } from './chat-batches.ts';
import { slackMessages, teamsMessages, textMessages } from './chat-messages.ts';

const noTemplates = undefined;

/** The golden files: the message to each chat for each batch. Made anew by `node
 *  test/delivery/golden/update.ts` only: look at the difference before you commit it. */
export function goldenFiles(): { file: string; path: string; content: () => string }[] {
  const text =
    (preset: string): typeof slackMessages =>
    (events, context) =>
      textMessages(events, { preset }, context);
  const chats = {
    slack: slackMessages,
    teams: teamsMessages,
    'text-discord': text('discord'),
    'text-ntfy': text('ntfy'),
  };
  const told = Object.entries(batches).map(([name, events]) => ({ name, events, templates: noTemplates }));
  const linked = { name: 'linked', events: batches.typical ?? [], templates };
  return Object.entries(chats).flatMap(([chat, messages]) =>
    [...told, linked].map(({ name, events, templates }) => ({
      file: `${chat}-${name}.json`,
      path: join(import.meta.dirname, '../../delivery/golden', `${chat}-${name}.json`),
      content: () => {
        const bodies = messages(events, { linkTemplates: templates }).map(({ body }) => JSON.parse(body));
        return `${JSON.stringify(bodies, null, 2)}\n`;
      },
    })),
  );
}
