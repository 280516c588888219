import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';

/** Writes `slack.html` and `teams.html` into the folder named on the command line: golden messages, those
 *  with links unless another name follows, about as the chats show them. Slack's looks are imitated; Teams'
 *  card is drawn by the library of the format. The pictures beside this file are made of the two pages (see
 *  docs/chat.md). */

const root = join(import.meta.dirname, '../..');
const [folder = '.', name = 'linked'] = process.argv.slice(2);
const element = z.looseObject({ type: z.string().default('') });
type Element = z.infer<typeof element>;

const elements = (value: unknown): Element[] => z.array(element).parse(value);
const escaped = (text: unknown) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const time = (iso: string, options: Intl.DateTimeFormatOptions) =>
  new Date(iso).toLocaleString('en', { timeZone: 'Europe/Berlin', ...options });

const slack: Record<string, (block: Element) => string> = {
  header: ({ text }) => `<h1>${element.parse(text).text}</h1>`,
  context: block =>
    `<div class="context">${elements(block.elements)
      .map(part => `<span>${slackTime(String(part.text))}</span>`)
      .join('')}</div>`,
  rich_text: block => elements(block.elements).map(slackBlock).join(''),
  rich_text_section: block => `<div>${elements(block.elements).map(slackBlock).join('')}</div>`,
  rich_text_list: block =>
    `<ul>${elements(block.elements)
      .map(item => `<li>${slackBlock(item)}</li>`)
      .join('')}</ul>`,
  text: ({ text, style }) => `<span class="${classesOf(style)}">${escaped(text)}</span>`,
  link: ({ text, style }) => `<a class="${classesOf(style)}">${escaped(text)}</a>`,
};

function classesOf(style: unknown): string {
  return Object.keys(z.record(z.string(), z.boolean()).parse(style ?? {})).join(' ');
}

const slackBlock = (block: Element): string => slack[block.type]?.(block) ?? '';

/** `<!date^…>` as a reader in Berlin sees it. */
function slackTime(text: string): string {
  return text.replace(/<!date\^(\d+)\^([^|]*)\|[^>]*>/g, (_, seconds: string, format: string) => {
    const iso = new Date(Number(seconds) * 1000).toISOString();
    const day = time(iso, { dateStyle: 'medium' });
    return format
      .replace('{date_short_pretty}', day)
      .replace('{time_secs}', time(iso, { timeStyle: 'medium' }));
  });
}

/** `<` can't end the script of the card. */
const scriptJson = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003C');

function read(name: string): unknown {
  return JSON.parse(readFileSync(resolve(root, 'test/delivery/golden', name), 'utf8'));
}

function write(chat: string, fill: Readonly<Record<string, string>>): void {
  const page = readFileSync(join(root, `docs/chat/${chat}-page.html`), 'utf8');
  const whole = Object.entries(fill).reduce(
    (text, [place, content]) => text.replace(`<!-- ${place} -->`, () => content),
    page,
  );
  writeFileSync(join(folder, `${chat}.html`), whole);
}

const messages = z
  .array(z.looseObject({ text: z.string(), blocks: z.array(element) }))
  .parse(read(`slack-${name}.json`));
const [message] = messages;
write('slack', {
  notification: escaped(
    message?.text.replaceAll(
      /&(amp|lt|gt);/g,
      (_, mark: string) => ({ amp: '&', lt: '<', gt: '>' })[mark] ?? '',
    ),
  ),
  message: (message?.blocks ?? []).map(slackBlock).join('\n'),
});

const envelopes = z
  .array(z.looseObject({ attachments: z.array(z.looseObject({ content: element })) }))
  .parse(read(`teams-${name}.json`));
const library = join(root, 'node_modules/adaptivecards/dist/adaptivecards.min.js');
write('teams', {
  library: `<script>${readFileSync(library, 'utf8')}</script>`,
  card: `<script>const card = ${scriptJson(envelopes[0]?.attachments[0]?.content)};</script>`,
});
