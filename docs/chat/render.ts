import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as z from 'zod';

/** Writes `slack.html`, `teams.html` and `email.html` into the folder named on the command line: a golden message, the
 *  typical one unless another name follows, about as the chats show them. Slack's looks are imitated; Teams' card is
 *  drawn by the library of the format; the mail is as it is sent. The pictures beside this file are made of these pages
 *  (see docs/chat.md). */

const root = join(import.meta.dirname, '../..');
const [folder = '.', name = 'typical'] = process.argv.slice(2);
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

function linesOf(name: string) {
  const lines = readFileSync(resolve(root, 'test/delivery/golden', name), 'utf8')
    .trim()
    .split('\n');
  return lines.map(line => JSON.parse(line));
}

/** The first message of a golden file: a line without its blocks, then a line for each of them. */
function read(name: string): unknown[] {
  const all = linesOf(name);
  const next = all.findIndex((line, index) => index > 0 && ('mrkdwn' in line || 'attachments' in line));
  return next < 0 ? all : all.slice(0, next);
}

function write(chat: string, fill: Readonly<Record<string, string>>): void {
  const page = readFileSync(join(root, `docs/chat/${chat}-page.html`), 'utf8');
  const whole = Object.entries(fill).reduce(
    (text, [place, content]) => text.replace(`<!-- ${place} -->`, () => content),
    page,
  );
  writeFileSync(join(folder, `${chat}.html`), whole);
}

const [message, ...blocks] = read(`slack-${name}.jsonl`);
write('slack', {
  notification: escaped(
    z
      .looseObject({ text: z.string() })
      .parse(message)
      .text.replaceAll(/&(amp|lt|gt);/g, (_, mark: string) => ({ amp: '&', lt: '<', gt: '>' })[mark] ?? ''),
  ),
  message: z.array(element).parse(blocks).map(slackBlock).join('\n'),
});

const [envelope, ...body] = read(`teams-${name}.jsonl`);
const { attachments } = z
  .looseObject({ attachments: z.tuple([z.looseObject({ content: z.looseObject({}) })]) })
  .parse(envelope);
const library = join(root, 'node_modules/adaptivecards/dist/adaptivecards.min.js');
write('teams', {
  library: `<script>${readFileSync(library, 'utf8')}</script>`,
  card: `<script>const card = ${scriptJson({ ...attachments[0].content, body })};</script>`,
});

const mail = linesOf(`email-${name}.jsonl`);
writeFileSync(join(folder, 'email.html'), mail.slice(mail.indexOf('<!doctype html>')).join('\n'));
