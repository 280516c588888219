import { createRequire } from 'node:module';
import { expect } from 'vitest';
import * as z from 'zod';
import { LINK } from './slack-schema.ts';

/** The library's build for Node, because its main file works in bundlers only. */
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards');

/** What we send, by the schema of Adaptive Cards 1.5. Anything else is an error: so data that became an
 *  action, a link or a mention is found, because that is another element or property (docs/chat.md names
 *  the pages). */
const run = z.union([
  z.string().min(1),
  z.strictObject({
    type: z.literal('TextRun'),
    text: z.string().min(1),
    size: z.literal('Large').optional(),
    weight: z.literal('Bolder').optional(),
    isSubtle: z.literal(true).optional(),
    strikethrough: z.literal(true).optional(),
    color: z.enum(['Good', 'Attention']).optional(),
  }),
]);
/** A link must come from the tests' templates; only a record's name and the title have one. */
const linkedRun = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string().min(1),
  size: z.literal('Large').optional(),
  weight: z.literal('Bolder'),
  selectAction: z.strictObject({ type: z.literal('Action.OpenUrl'), url: z.string().regex(LINK) }),
});
const richText = z.strictObject({
  type: z.literal('RichTextBlock'),
  inlines: z.array(run).min(1),
  spacing: z.literal('Small').optional(),
});

const heading = richText.extend({ inlines: z.tuple([z.union([run, linkedRun])]).rest(run) });

/** TextBlocks read markdown, so they may hold only our own words, counts and times. */
const date = '\\{\\{DATE\\(\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z, SHORT\\)\\}\\}';
const time = `${date} \\{\\{TIME\\(\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z\\)\\}\\}`;
const place = '(?:the project|(?:the project and )?[\\d,]+ tasks?|[\\d,]+ fields?)';
const timeBlock = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().regex(new RegExp(`^(?:Seen ${time}|Between ${time} and ${time})$`)),
  isSubtle: z.literal(true),
  wrap: z.literal(true),
  size: z.literal('Small'),
  spacing: z.literal('Small'),
});
const tail = z.strictObject({
  type: z.literal('TextBlock'),
  text: z.string().regex(new RegExp(`^… and [\\d,]+ more changes? in ${place} (?:is|are) not shown$`)),
  isSubtle: z.literal(true),
  wrap: z.literal(true),
  separator: z.literal(true),
});
const head = z.strictObject({
  type: z.literal('Container'),
  style: z.literal('emphasis'),
  bleed: z.literal(true),
  items: z.union([z.tuple([heading, richText]), z.tuple([heading, richText, timeBlock])]),
});
const record = z.strictObject({
  type: z.literal('Container'),
  items: z.tuple([heading, richText]).rest(richText),
});

/** The body of a request to a Workflows webhook. */
export const teamsMessage = z.strictObject({
  type: z.literal('message'),
  summary: z.string().min(1).max(1_000),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        type: z.literal('AdaptiveCard'),
        $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
        version: z.literal('1.5'),
        fallbackText: z
          .string()
          .regex(
            new RegExp(
              `^(?:[\\d,]+ changes? in ${place}|Deletions are on hold|Changes are late|Changes are sent again|A project is skipped|Audit log)$`,
            ),
          ),
        msteams: z.strictObject({ width: z.literal('Full') }),
        body: z.tuple([head]).rest(z.union([heading, record, tail])),
      }),
    }),
  ]),
});

/** What the official library finds wrong with a card of version 1.5: elements, values or properties that
 *  it doesn't know, in its own words; or a difference between the card and what it read. */
export function cardFaults(card: { body: unknown }): string[] {
  const context = new SerializationContext(Versions.v1_5);
  const read = new AdaptiveCard();
  read.parse(card, context);
  const faults = Array.from({ length: context.eventCount }, (_, index) => context.getEventAt(index).message);
  const again: unknown = read.toJSON(new SerializationContext(Versions.v1_5))?.body;
  const isSame = JSON.stringify(sorted(again)) === JSON.stringify(sorted(card.body));
  return isSame ? faults : [...faults, `read as ${JSON.stringify(again)}`];
}

/** The card with keys in order, and each text run as an object: the library writes both in its own way. */
function sorted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    return value.map(item =>
      key === 'inlines' && typeof item === 'string' ? { text: item, type: 'TextRun' } : sorted(item),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, sorted(inner, name)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

const KB = 1024;

/** A message's card, when it is valid and small enough. */
export function cardOf(body: string | undefined) {
  expect(Buffer.byteLength(body ?? '')).toBeLessThanOrEqual(28 * KB);
  expect(Buffer.byteLength(body ?? '', 'utf16le')).toBeLessThanOrEqual(28 * KB);
  const card = teamsMessage.parse(JSON.parse(body ?? '')).attachments[0].content;
  expect(cardFaults(card)).toEqual([]);
  return card;
}

/** Every run of a card. */
export function runsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('inlines' in value && Array.isArray(value.inlines)) {
    return value.inlines.map(run => (typeof run === 'string' ? run : String(run.text)));
  }
  return Object.values(value).flatMap(runsOf);
}
