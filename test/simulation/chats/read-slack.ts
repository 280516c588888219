import { Violation } from '../oracle/violation.ts';
import type { Link, Paragraph, Shown } from './shown.ts';

interface Element {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly elements?: readonly Element[];
}
interface Block {
  readonly type: string;
  readonly text?: Element;
  readonly elements?: readonly Element[];
}

const TIME = /^<!date\^(\d+)\^[^|<>]*\|([\d :-]+) UTC>/;

/** Reads a message for a Slack webhook as the channel shows it (docs/chat.md, *Limits*).
 *  @throws Violation where Slack would refuse it, or show data as anything but text */
export function readSlack(body: string): Shown {
  const message = JSON.parse(body) as { text: string; mrkdwn: boolean; blocks: Block[] };
  const [header, context, ...rest] = message.blocks;
  if (body.length > 12_000 || message.blocks.length > 50) throw refused('msg_blocks_too_long');
  const last = rest.at(-1)?.type === 'context' ? rest.pop() : undefined;
  return {
    ...titleOf(header),
    summary: plain(expect(context, 'context').elements?.[0], 3_000),
    times: timesOf(context?.elements?.[1]),
    paragraphs: rest.map(paragraphOf),
    tail: last && plain(last.elements?.[0], 3_000),
    notification: unescaped(message.text),
  };
}

/** The title and its link. A header can't have a link, so a title with one is rich text: the link and
 *  nothing else. */
function titleOf(block: Block | undefined): Pick<Shown, 'title' | 'link'> {
  if (block?.type !== 'rich_text')
    return { title: plain(expect(block, 'header').text, 150), link: undefined };
  const { heading, link, lines } = paragraphOf(block);
  if (link?.text !== heading || lines.length > 0) throw refused('a title in rich text that is not a link');
  return { title: heading, link: link.url };
}

function paragraphOf(block: Block): Paragraph {
  const [heading, ...more] = expect(block, 'rich_text').elements ?? [];
  const lines = more.flatMap(list => (list.type === 'rich_text_list' ? (list.elements ?? []) : [list]));
  const texts = [heading, ...lines].map((section, line) => {
    if (section?.type !== 'rich_text_section') throw refused(`${section?.type} in rich text`);
    return (section.elements ?? []).map((each, index) => textOf(each, line + index === 0)).join('');
  });
  if (texts.join('').length > 3_000) throw refused('a block of more than 3,000 characters');
  return { heading: texts[0] ?? '', link: linkOf(heading?.elements?.[0]), lines: texts.slice(1) };
}

function linkOf(element: Element | undefined): Link | undefined {
  if (element?.type !== 'link') return undefined;
  const { text = '', url = '' } = element;
  return { text, url };
}

/** The text of an element. Mentions, emoji and links are other elements; only a record's name may be a
 *  link. */
function textOf({ type, text }: Element, isFirst: boolean): string {
  const isKnown = type === 'text' || (type === 'link' && isFirst);
  if (!isKnown || text === undefined) throw refused(`${type} in a section`);
  return text;
}

function plain(element: Element | undefined, limit: number): string {
  if (element?.type !== 'plain_text' || element.text === undefined || element.text === '')
    throw refused(`${JSON.stringify(element)} as plain text`);
  if (element.text.length > limit) throw refused(`a text of more than ${limit} characters`);
  return unescaped(element.text);
}

function unescaped(text: string): string {
  if (/[<>]/.test(text)) throw refused(`markup in ${text}`);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function timesOf(element: Element | undefined): string[] {
  if (!element) return [];
  const times: string[] = [];
  let rest = element.text ?? '';
  while (rest !== '') {
    const [whole, seconds, fallback = ''] = TIME.exec(rest) ?? [];
    if (whole === undefined && !/^(seen|between| and)/.test(rest)) throw refused(`as a time: ${rest}`);
    if (whole !== undefined) {
      const iso = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
      if (iso !== fallback.replace(' ', 'T')) throw refused(`two times in one: ${whole}`);
      times.push(iso);
    }
    rest = rest.slice(whole?.length ?? /^(seen|between| and)/.exec(rest)?.[0].length).replace(/^ (?=<)/, '');
  }
  return times;
}

function expect(block: Block | undefined, type: string): Block {
  if (block?.type !== type) throw refused(`${block?.type} in the place of a ${type}`);
  return block;
}

function refused(what: string): Violation {
  return new Violation(1, `Slack does not show ${what}`);
}
