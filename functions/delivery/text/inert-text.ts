import type { Form } from './presets.ts';

/** Data that no service reads as a mention, a link, an emoji code or a heading: each character that could begin one is
 *  followed by a word joiner (U+2060), which is invisible. Where Markdown is read, a backslash escapes what would format.
 *  Each character is treated by itself, so that a part of a text never takes more room than alone. */
export function inertText(text: string, { isMarkdown = false }: Pick<Form, 'isMarkdown'>): string {
  const broken = text.replace(/[@<:#.]/g, character => `${character}\u2060`);
  return isMarkdown
    ? broken.replace(/[\\*_~`|[\]]/g, character => `\\${character}`)
    : broken.replace(/[*_~`]/g, character => `${character}\u2060`);
}

/** Data that begin a line: a leading word joiner keeps them from being a list or a quotation. */
export function lineText(text: string, form: Pick<Form, 'isMarkdown'>): string {
  return `${/^(?:[-+>=]|\d+[.)])/.test(text) ? '\u2060' : ''}${inertText(text, form)}`;
}

/** A header's value, by RFC 2047 where it is not plain ASCII: words of at most 75 characters. */
export function headerText(text: string): string {
  if (/^[ -~]*$/.test(text) && !text.includes('=?')) return text;
  return (text.match(/.{1,10}/gsu) ?? [])
    .map(part => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`)
    .join(' ');
}
