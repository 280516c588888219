import { Violation } from '../oracle/violation.ts';
import type { Link, Paragraph, Shown } from './shown.ts';

interface Element {
  readonly type: string;
  readonly text?: string;
  readonly items?: readonly Element[];
  readonly inlines?: readonly (string | Element)[];
  readonly selectAction?: { readonly type: string; readonly url: string };
}

const LIMIT = 28_000;
const BULLET = '•  ';
const TIME = /\{\{DATE\(([\dT:-]+)Z, SHORT\)\}\} \{\{TIME\(([\dT:-]+)Z\)\}\}/g;

/** Reads a message for a Teams workflow as the channel shows its card (docs/chat.md, *Limits*).
 *  @throws Violation where Teams would refuse it, or show data as anything but text */
export function readTeams(body: string): Shown {
  if (Math.max(Buffer.byteLength(body), 2 * body.length) > LIMIT)
    throw refused('a message of more than 28 KB');
  const { summary: notification, attachments } = JSON.parse(body) as {
    summary: string;
    attachments: { content: { fallbackText: string; body: Element[] } }[];
  };
  const [{ content } = { content: undefined }] = attachments;
  const [head, ...rest] = content?.body ?? [];
  const [title, summary, time] = head?.items ?? [];
  const last = rest.at(-1)?.type === 'TextBlock' ? rest.pop() : undefined;
  return {
    title: textOf(title, true),
    link: linkOf(title)?.url,
    summary: textOf(summary),
    times: timesOf(time),
    paragraphs: rest.map(paragraphOf),
    tail: last?.text,
    notification,
    instead: content?.fallbackText ?? '',
  };
}

function paragraphOf(element: Element): Paragraph {
  if (element.type !== 'Container')
    return { heading: textOf(element, true), link: linkOf(element), lines: [] };
  const [heading, ...lines] = element.items ?? [];
  return {
    heading: textOf(heading, true),
    link: linkOf(heading),
    lines: lines.map(line => {
      const text = textOf(line);
      if (!text.startsWith(BULLET)) throw refused(`a line without its bullet: ${text}`);
      return text.slice(BULLET.length);
    }),
  };
}

function linkOf(element: Element | undefined): Link | undefined {
  const [first] = element?.inlines ?? [];
  if (typeof first === 'string' || first?.selectAction === undefined) return undefined;
  const { type, url } = first.selectAction;
  if (type !== 'Action.OpenUrl') throw refused(`${type} after a text`);
  return { text: first.text ?? '', url };
}

/** The text of an element. Text blocks read markdown, runs don't. Only the first run of a heading may be
 *  a link. */
function textOf(element: Element | undefined, isHeading = false): string {
  if (element?.type !== 'RichTextBlock') throw refused(`data in ${JSON.stringify(element)}`);
  const runs = (element.inlines ?? []).map(run =>
    typeof run === 'string' ? { type: 'TextRun', text: run } : run,
  );
  const isLink = (run: Element) => 'selectAction' in run;
  if (runs.slice(isHeading ? 1 : 0).some(isLink)) throw refused('a link in the data');
  const text = runs.map(run => run.text ?? '').join('');
  if (/\{\{(?:DATE|TIME)\(/.test(text)) throw refused(`a date that is data: ${text}`);
  return text;
}

function timesOf(element: Element | undefined): string[] {
  if (!element) return [];
  const words = element.text?.replaceAll(TIME, '').trim();
  if (words !== 'Seen' && words !== 'Between  and') throw refused(`as a time: ${element.text}`);
  return [...(element.text ?? '').matchAll(TIME)].map(([whole, date, time]) => {
    if (date !== time || date === undefined) throw refused(`two times in one: ${whole}`);
    return date;
  });
}

function refused(what: string): Violation {
  return new Violation(1, `Teams does not show ${what}`);
}
