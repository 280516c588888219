import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** Writes `slack.html` and `teams.html` into the folder named on the command line: the golden messages of a typical
 *  batch, about as Slack and Teams show them. `docs/images/` holds pictures of the two pages (see docs/chat.md). */

const root = join(import.meta.dirname, '../..');
const folder = process.argv[2] ?? '.';
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
  text: ({ text, style }) => {
    const names = Object.keys(z.record(z.string(), z.boolean()).parse(style ?? {}));
    return `<span class="${names.join(' ')}">${escaped(text)}</span>`;
  },
};

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

const teams: Record<string, (part: Element) => string> = {
  Container: part =>
    `<section class="${part.style ?? ''}">${elements(part.items).map(teamsElement).join('')}</section>`,
  TextBlock: part => `<p class="${look(part)}">${teamsTime(String(part.text))}</p>`,
  RichTextBlock: part =>
    `<p class="${look(part)}">${z
      .array(z.union([z.string(), element]))
      .parse(part.inlines)
      .map(run =>
        typeof run === 'string' ? escaped(run) : `<span class="${look(run)}">${escaped(run.text)}</span>`,
      )
      .join('')}</p>`,
};

const teamsElement = (part: Element): string => teams[part.type]?.(part) ?? '';

function look({ size, weight, color, isSubtle, strikethrough, spacing }: Element): string {
  const flags = [isSubtle && 'subtle', strikethrough && 'strike', spacing && 'near'];
  return [size, weight, color, ...flags].filter(Boolean).join(' ');
}

/** `{{DATE(…)}}` and `{{TIME(…)}}` as a reader in Berlin sees them. */
function teamsTime(text: string): string {
  return text
    .replace(/\{\{DATE\(([^,]*), SHORT\)\}\}/g, (_, iso: string) =>
      time(iso, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    )
    .replace(/\{\{TIME\(([^)]*)\)\}\}/g, (_, iso: string) => time(iso, { timeStyle: 'short' }));
}

function golden(name: string): unknown {
  return JSON.parse(readFileSync(join(root, 'test/endpoints/golden', name), 'utf8'));
}

function write(chat: string, content: string): void {
  const page = readFileSync(join(root, `docs/chat/${chat}-page.html`), 'utf8');
  writeFileSync(
    join(folder, `${chat}.html`),
    page.replace('<!-- message -->', () => content),
  );
}

const [message] = z.array(z.looseObject({ blocks: z.array(element) })).parse(golden('slack-typical.json'));
write('slack', (message?.blocks ?? []).map(slackBlock).join('\n'));

const card = z.looseObject({ content: z.looseObject({ body: z.array(element) }) });
const [envelope] = z.array(z.looseObject({ attachments: z.array(card) })).parse(golden('teams-typical.json'));
write('teams', (envelope?.attachments[0]?.content.body ?? []).map(teamsElement).join('\n'));
