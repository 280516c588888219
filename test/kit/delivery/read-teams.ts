import * as z from 'zod';
import { type Paragraph, parsed, type Shown, single } from './shown.ts';

/** What is sent to Teams, by the schema of Adaptive Cards 1.5. Anything else is an error: data that became an
 *  action, a link or a mention is another element or property (docs/chat.md names the pages). */

/** Clients replace dates in texts. */
const data = single.regex(/^(?:(?!\{\{).)+$/u);
const textRun = z.strictObject({
  type: z.literal('TextRun'),
  text: data,
  size: z.literal('Large').optional(),
  weight: z.literal('Bolder').optional(),
  isSubtle: z.literal(true).optional(),
  strikethrough: z.literal(true).optional(),
  color: z.enum(['Good', 'Attention']).optional(),
});
const run = z.union([data, textRun]);
/** Only a record's name and the title have a link. */
const linkedRun = textRun.extend({
  weight: z.literal('Bolder'),
  selectAction: z.strictObject({
    type: z.literal('Action.OpenUrl'),
    url: z.url({ protocol: /^https$/ }),
  }),
});
const richText = z.strictObject({
  type: z.literal('RichTextBlock'),
  inlines: z.array(run).min(1),
  spacing: z.literal('Small').optional(),
});
const heading = richText.extend({ inlines: z.tuple([z.union([linkedRun, run])]).rest(run) });

/** TextBlocks read markdown: they hold only fixed words, counts and times. */
const date = String.raw`\{\{DATE\(([\dT:-]{19})Z, SHORT\)\}\} \{\{TIME\(([\dT:-]{19})Z\)\}\}`;
const place = String.raw`(?:the project|(?:the project and )?[\d,]+ tasks?|[\d,]+ fields?)`;
const timeBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().regex(new RegExp(`^(?:Seen ${date}|Between ${date} and ${date})$`)),
  isSubtle: z.literal(true),
  wrap: z.literal(true),
  size: z.literal('Small'),
  spacing: z.literal('Small'),
});
const tail = z.strictObject({
  type: z.literal('TextBlock'),
  text: z
    .string()
    .regex(new RegExp(`^… and [\\d,]+ more (?:changes?|events?) in ${place} (?:is|are) not shown$`)),
  isSubtle: z.literal(true),
  wrap: z.literal(true),
  separator: z.literal(true),
});
const head = z.strictObject({
  type: z.literal('Container'),
  style: z.literal('emphasis'),
  bleed: z.literal(true),
  items: z.tuple([heading, richText, timeBlock.optional()]),
});
const BULLET = '•  ';
const line = richText.extend({ inlines: z.tuple([textRun.extend({ text: z.literal(BULLET) })]).rest(run) });
const record = z.strictObject({ type: z.literal('Container'), items: z.tuple([heading, line]).rest(line) });

const card = z.strictObject({
  type: z.literal('AdaptiveCard'),
  $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
  version: z.literal('1.5'),
  fallbackText: z
    .string()
    .regex(
      new RegExp(
        `^(?:[\\d,]+ (?:changes?|events?) in ${place}|[\\d,]+ changes(?: in [\\d,]+ projects?)?|Deletions are on hold|Changes are late|Changes are sent again|A project is skipped|Audit log)$`,
      ),
    ),
  msteams: z.strictObject({ width: z.literal('Full') }),
  body: z.tuple([head]).rest(z.union([heading, record, tail])),
});
const teamsMessage = z.strictObject({
  type: z.literal('message'),
  // A client may read it as markdown.
  summary: data.max(1_000).regex(/^(?:(?!<[^\s\u2060]|\][([]).)+$/u),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: card,
    }),
  ]),
});

const small = z
  .string()
  .refine(body => Math.max(Buffer.byteLength(body), 2 * body.length) <= 28_000, 'at most 28 KB');

/** A message's card. @throws Violation where Teams would refuse it, or show data as anything but text */
export function cardOf(body: string) {
  return parsed('Teams', teamsMessage, JSON.parse(parsed('Teams', small, body))).attachments[0].content;
}

/** Reads a message for a Teams workflow as the channel shows its card. @throws as `cardOf` */
export function readTeams(body: string): Shown {
  const { body: all, fallbackText } = cardOf(body);
  const [{ items }, ...rest] = all;
  const [title, summary, times] = items;
  const last = rest.at(-1);
  const records = last?.type === 'TextBlock' ? rest.slice(0, -1) : rest;
  return {
    title: textOf(title),
    link: linkOf(title)?.url,
    summary: textOf(summary),
    times: times ? timesOf(times.text) : [],
    paragraphs: parsed('Teams', z.array(z.union([heading, record])), records).map(paragraphOf),
    tail: last?.type === 'TextBlock' ? last.text : undefined,
    notification: JSON.parse(body).summary,
    instead: fallbackText,
  };
}

function paragraphOf(element: z.infer<typeof heading> | z.infer<typeof record>): Paragraph {
  const [first, ...lines] = element.type === 'Container' ? element.items : [element];
  return {
    heading: textOf(first),
    link: linkOf(first),
    lines: lines.map(each => textOf(each).slice(BULLET.length)),
  };
}

function linkOf({ inlines: [first] }: z.infer<typeof heading>): Paragraph['link'] {
  if (typeof first === 'string' || !('selectAction' in first)) return undefined;
  return { text: first.text, url: first.selectAction.url };
}

function textOf({ inlines }: { readonly inlines: readonly (string | { readonly text: string })[] }): string {
  return inlines.map(inline => (typeof inline === 'string' ? inline : inline.text)).join('');
}

function timesOf(text: string): string[] {
  return [...text.matchAll(new RegExp(date, 'g'))].map(([whole, day = '', at = '']) =>
    parsed('Teams', z.literal(day, `two times in one: ${whole}`), at),
  );
}
