import * as z from 'zod';
import { type Paragraph, parsed, type Shown, single } from './shown.ts';

/** What is sent to Slack, as Slack's reference describes it, with its limits. Anything else is an error: data that
 *  became a link, a mention or an emoji is an element of another type (docs/chat.md names the pages). */

/** Text in which Slack reads markup: `<`, `>` and `&` are escaped. */
const escaped = z.string().regex(/^(?:[^<>&]|&(?:amp|lt|gt);)+$/);
const plainText = (limit: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: escaped.max(limit), emoji: z.literal(false) });

const date = String.raw`<!date\^-?\d+\^(?:\{date_short_pretty\} )?\{time_secs\}\|[-+\d]+ [\d:]{8} UTC>`;
const time = z.strictObject({
  type: z.literal('mrkdwn'),
  text: z.string().regex(new RegExp(`^(?:seen ${date}|between ${date} and ${date})$`)),
});

const style = z.strictObject({ bold: z.literal(true), italic: z.literal(true), strike: z.literal(true) });
const text = z.strictObject({
  type: z.literal('text'),
  // Receivers that convert rich text to mrkdwn would read a mention.
  text: single.regex(/^(?:(?!<[^\s\u2060]).)+$/u),
  style: style.partial().optional(),
});
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(text).min(1) });
/** Only a record's name and the title have a link. */
const link = text.extend({ type: z.literal('link'), url: z.url({ protocol: /^https$/ }) });
const heading = section.extend({ elements: z.tuple([z.union([text, link])]).rest(text) });
const linkedTitle = z.strictObject({
  type: z.literal('rich_text'),
  elements: z.tuple([section.extend({ elements: z.tuple([link]) })]),
});
const list = z.strictObject({
  type: z.literal('rich_text_list'),
  style: z.literal('bullet'),
  elements: z.array(section).min(1),
});

const header = z.strictObject({ type: z.literal('header'), text: plainText(150) });
const context = z.strictObject({
  type: z.literal('context'),
  elements: z.tuple([plainText(3_000), time.optional()]),
});
const richText = z
  .strictObject({
    type: z.literal('rich_text'),
    elements: z.union([z.tuple([heading]), z.tuple([heading, list])]),
  })
  .refine(block => lengthOf(paragraphOf(block)) <= 3_000, 'at most 3,000 characters in a block');

const slackMessage = z
  .strictObject({
    // Slack may read it as mrkdwn: a word joiner follows each character that could begin formatting.
    text: escaped.max(4_000).regex(/^(?:[^*_~`:@#|.]|[*_~`:@#|.]\u2060)+$/),
    mrkdwn: z.literal(false),
    unfurl_links: z.literal(false),
    unfurl_media: z.literal(false),
    blocks: z
      .tuple([z.union([header, linkedTitle]), context])
      .rest(z.discriminatedUnion('type', [context, richText]))
      .refine(blocks => blocks.length <= 50, 'at most 50 blocks'),
  })
  .refine(message => JSON.stringify(message).length <= 12_000, 'at most 12,000 characters in all');

/** Reads a message for a Slack webhook as the channel shows it.
 *  @throws Violation where Slack would refuse it, or show data as anything but text */
export function readSlack(body: string): Shown {
  const message = parsed('Slack', slackMessage, JSON.parse(body));
  const [title, summary, ...rest] = message.blocks;
  const last = rest.at(-1);
  const paragraphs = parsed('Slack', z.array(richText), last?.type === 'context' ? rest.slice(0, -1) : rest);
  const [, times] = summary.elements;
  return {
    ...(title.type === 'header'
      ? { title: unescaped(title.text.text), link: undefined }
      : { title: title.elements[0].elements[0].text, link: title.elements[0].elements[0].url }),
    summary: unescaped(summary.elements[0].text),
    times: times ? timesOf(times.text) : [],
    paragraphs: paragraphs.map(paragraphOf),
    tail: last?.type === 'context' ? unescaped(last.elements[0].text) : undefined,
    notification: unescaped(message.text),
  };
}

const appMessage = z.looseObject({
  channel: z.string().regex(/^(?:[CDG][A-Z0-9]+|#[^\s#]+)$/),
  thread_ts: z
    .string()
    .regex(/^\d+\.\d+$/)
    .optional(),
  reply_broadcast: z.literal(true).optional(),
});

/** Reads a message for `chat.postMessage` in the same way. */
export function readSlackApp(body: string): Shown {
  const {
    channel: _,
    thread_ts,
    reply_broadcast: __,
    ...message
  } = parsed('Slack', appMessage, JSON.parse(body));
  return readSlack(JSON.stringify(message));
}

function paragraphOf({
  elements: [head, below],
}: {
  elements: [z.infer<typeof heading>] | [z.infer<typeof heading>, z.infer<typeof list>];
}): Paragraph {
  const [first] = head.elements;
  const textOf = ({ elements }: { elements: readonly { text: string }[] }) =>
    elements.map(element => element.text).join('');
  return {
    heading: textOf(head),
    link: first.type === 'link' ? { text: first.text, url: first.url } : undefined,
    lines: (below?.elements ?? []).map(textOf),
  };
}

function lengthOf({ heading, lines }: Paragraph): number {
  return [heading, ...lines].join('').length;
}

/** The times in seconds, which each stand there twice. */
function timesOf(text: string): string[] {
  return [...text.matchAll(/\^(-?\d+)\^[^|]*\|([^>]*) UTC>/g)].map(([whole, seconds, fallback = '']) => {
    const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
    return parsed('Slack', z.literal(iso, `two times in one: ${whole}`), fallback.replace(' ', 'T'));
  });
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
