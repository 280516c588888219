import * as z from 'zod';

/** What we send, as Slack's reference describes it, with its limits. Anything else is an error: so data
 *  that became a link, a mention or an emoji is found, because that is an element of another type
 *  (docs/chat.md names the pages). */
const plainText = (limit: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(limit),
    emoji: z.literal(false),
  });

/** The links that the tests' `templates` make: letters, digits and percent-encoding. */
export const LINK = /^https:\/\/app\.example\.com\/[\w.~%-]+\/p\/[\w.~%-]+(?:\?task=[\w.~%-]+)?$/;

const date = '<!date\\^-?\\d+\\^(?:\\{date_short_pretty\\} )?\\{time_secs\\}\\|[-+\\d]+ [\\d:]{8} UTC>';
const time = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().regex(new RegExp(`^(?:seen ${date}|between ${date} and ${date})$`)),
});

const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  style: z
    .strictObject({ bold: z.literal(true), italic: z.literal(true), strike: z.literal(true) })
    .partial()
    .optional(),
});
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(text).min(1) });
/** A link must come from the tests' templates; only a record's name and the title have one. */
const link = text.extend({ type: z.literal('link'), url: z.string().regex(LINK) });
const heading = z.strictObject({
  type: z.literal('rich_text_section'),
  elements: z.tuple([z.union([text, link])]).rest(text),
});
const linkedTitle = z.strictObject({
  type: z.literal('rich_text'),
  elements: z.tuple([z.strictObject({ type: z.literal('rich_text_section'), elements: z.tuple([link]) })]),
});
const list = z.strictObject({
  type: z.literal('rich_text_list'),
  style: z.literal('bullet'),
  elements: z.array(section).min(1),
});

const header = z.strictObject({ type: z.literal('header'), text: plainText(150) });
const context = z.strictObject({
  type: z.literal('context'),
  elements: z.union([z.tuple([plainText(3_000)]), z.tuple([plainText(3_000), time])]),
});
const richText = z
  .strictObject({
    type: z.literal('rich_text'),
    elements: z.union([z.tuple([heading]), z.tuple([heading, list])]),
  })
  .refine(block => textsOf(block).join('').length <= 3_000, 'at most 3,000 characters in a block');

/** The body of a request to an incoming webhook. */
export const slackMessage = z
  .strictObject({
    text: z.string().min(1).max(4_000),
    mrkdwn: z.literal(false),
    unfurl_links: z.literal(false),
    unfurl_media: z.literal(false),
    blocks: z
      .tuple([z.union([header, linkedTitle]), context])
      .rest(z.discriminatedUnion('type', [context, richText]))
      .refine(blocks => blocks.length <= 50, 'at most 50 blocks'),
  })
  .refine(message => JSON.stringify(message).length <= 12_000, 'at most 12,000 characters in all');

/** Every value of a property `text` that is a string, anywhere inside. */
export function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'text' && typeof inner === 'string' ? [inner] : textsOf(inner),
  );
}
