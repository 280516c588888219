import type { EndpointSecret } from '../../model/endpoint.ts';

/** Maximum number of bytes read of an answer. */
export const BODY_LIMIT = 65_536;
const QUOTED_BYTES = 1024;
const MAX_LENGTH = 120;
/** Repeating this many characters in a row of a secret or URL may reveal it. */
const MIN_REVEALING = 8;

/** The beginning of an answer's body. Reads the whole body, up to a limit, so that the connection is reusable. */
export async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    kept.push(chunk);
    size += chunk.length;
    if (size > BODY_LIMIT) break;
  }
  return Buffer.concat(kept).subarray(0, QUOTED_BYTES).toString();
}

/** The first line with letters or digits of an endpoint's answer; undefined without such a line, for HTML, or when
 *  it repeats a secret of the endpoint. */
export function quote(answer: string, secret: EndpointSecret): string | undefined {
  const lines = answer.split(/[\r\n\u2028\u2029]/).map(clean);
  const first = lines.find(line => /[\p{L}\p{N}]/u.test(line));
  if (first === undefined || first.startsWith('<') || repeats(first, secret)) return undefined;
  return first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH - 1)}…` : first;
}

/** The beginning of an endpoint's answer in a form that may be stored: one line without control or invisible
 *  characters; undefined when it repeats a secret of the endpoint. */
export function harmless(answer: string, secret: EndpointSecret): string | undefined {
  const text = clean(answer);
  return text === '' || repeats(text, secret) ? undefined : text;
}

/** Removes what moves a terminal's cursor or hides text. */
function clean(line: string): string {
  return line
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')
    .trim();
}

/** Whether a text repeats a part of the signing secrets, of a header's value, or of the URL's user name, password, path
 *  or query (secret for Slack and Teams), in any case, encoding or separators. */
function repeats(text: string, { url, secrets = [], headers = {} }: EndpointSecret): boolean {
  const { pathname, search, username, password } = new URL(url);
  const login = [username, password].filter(part => part !== '').map(part => decodeURIComponent(part));
  const plain = [...Object.values(headers), ...login];
  const hidden = [...secrets, ...plain];
  return (
    shows(text, pathname + search) ||
    hidden.some(secret => shows(text, secret) || showsAsIs(text, secret)) ||
    plain.some(value => value.length < MIN_REVEALING && text.includes(value))
  );
}

/** Also compares the secret itself: with many `+` and `/`, base64 has too few letters and digits to compare. */
function showsAsIs(text: string, secret: string): boolean {
  return readings(text).some(shown => repeatsSome(shown.toLowerCase(), secret.toLowerCase()));
}

/** Compares letters and digits only. */
function shows(text: string, hidden: string): boolean {
  const all = readings(text).flatMap(barest);
  return barest(hidden)
    .concat(barest(unescaped(hidden)))
    .some(form => all.some(shown => repeatsSome(shown, form)));
}

function repeatsSome(shown: string, hidden: string): boolean {
  for (let at = 0; at + MIN_REVEALING <= hidden.length; at++)
    if (shown.includes(hidden.slice(at, at + MIN_REVEALING))) return true;
  return false;
}

/** Number of decodings: an answer may repeat percent-encoded text within JSON or HTML. */
const MAX_DECODINGS = 3;
/** What may be base64 or hex of at least MIN_REVEALING characters. */
const BASE64 = /[\w+/-]{11,}/g;
const HEX = /(?:[0-9a-f]{2}[\s:]?){8,}/gi;

/** The text and its decoded forms. */
function readings(text: string): string[] {
  const all = [text];
  for (let decoding = 1; decoding <= MAX_DECODINGS; decoding++) all.push(unescaped(all.at(-1) as string));
  const decoded = (pattern: RegExp, encoding: 'base64' | 'hex') =>
    (text.match(pattern) ?? []).map(run =>
      Buffer.from(run.replace(/[\s:]/g, ''), encoding).toString('latin1'),
    );
  return [...new Set(all), ...decoded(BASE64, 'base64'), ...decoded(HEX, 'hex')];
}

/** Percent-encoding, and the escapes of JSON, JavaScript and HTML; other marks are noise when letters are compared. */
const ESCAPE =
  /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{4,6})\}?|&#x([0-9a-f]{1,8});?|&#([0-9]{1,8});?|&[a-z]{2,6};|\\./gi;

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, percent, hex, unicode, html, decimal) => {
    const code =
      decimal === undefined ? Number.parseInt(percent ?? hex ?? unicode ?? html, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

/** The letters and digits of a text, which are the same in all encodings: once without percent-encoded
 *  characters, and once with their hex digits, in case `%` stands for itself. */
function barest(text: string): string[] {
  const lower = text.toLowerCase();
  return [/%[0-9a-f]{2}|[^a-z0-9]/g, /[^a-z0-9]/g].map(noise => lower.replaceAll(noise, ''));
}
