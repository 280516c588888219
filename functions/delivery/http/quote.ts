import type { EndpointSecret } from '../../model/endpoint.ts';

/** The most that is read of an answer, in bytes. */
export const BODY_LIMIT = 65_536;
/** How much of an answer is looked at, in bytes, and the longest line that is quoted, in characters. */
const QUOTED_BYTES = 1024;
const MAX_LENGTH = 120;
/** A text that repeats this many characters in a row of a secret or a URL may reveal it. */
const REVEALING = 8;

/** The beginning of an answer's body. Reads the whole body, up to a limit, so that the connection can be used
 *  again. */
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

/** The first line with letters or digits of an endpoint's answer, for people; undefined when there is none,
 *  when it is HTML, or when it repeats something secret of the endpoint. */
export function quote(answer: string, secret: EndpointSecret): string | undefined {
  const lines = answer.split(/[\r\n\u2028\u2029]/).map(clean);
  const first = lines.find(line => /[\p{L}\p{N}]/u.test(line));
  if (first === undefined || first.startsWith('<') || repeats(first, secret)) return undefined;
  return first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH - 1)}…` : first;
}

/** The beginning of an endpoint's answer as it may be kept: one line without control characters or invisible
 *  ones; undefined when it repeats something secret of the endpoint. */
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

/** Whether a text repeats something of the signing secrets, or of the URL's path or query, which in Slack's and
 *  Teams' URLs are secret; in whatever case, encoding or separators. */
function repeats(text: string, { url, secrets = [] }: EndpointSecret): boolean {
  const { pathname, search } = new URL(url);
  return (
    shows(text, pathname + search) || secrets.some(secret => shows(text, secret) || showsAsIs(text, secret))
  );
}

/** Compares a secret as it stands, too: base64 may hold so many `+` and `/` in a row that too few letters and
 *  digits are left. */
function showsAsIs(text: string, secret: string): boolean {
  return readings(text).some(shown => repeatsSome(shown.toLowerCase(), secret.toLowerCase()));
}

/** Whether a text repeats enough of what is hidden, by letters and digits alone. */
function shows(text: string, hidden: string): boolean {
  const all = readings(text).flatMap(barest);
  return barest(hidden)
    .concat(barest(unescaped(hidden)))
    .some(form => all.some(shown => repeatsSome(shown, form)));
}

function repeatsSome(shown: string, hidden: string): boolean {
  for (let at = 0; at + REVEALING <= hidden.length; at++)
    if (shown.includes(hidden.slice(at, at + REVEALING))) return true;
  return false;
}

/** How often a text is decoded: a page may repeat in JSON or HTML what was percent-encoded. */
const DECODINGS = 3;
/** What may be base64 or hex of at least REVEALING characters. */
const BASE64 = /[\w+/-]{11,}/g;
const HEX = /(?:[0-9a-f]{2}[\s:]?){8,}/gi;

/** The text, and what it says once it is decoded. */
function readings(text: string): string[] {
  const all = [text];
  for (let decoding = 1; decoding <= DECODINGS; decoding++) all.push(unescaped(all.at(-1) as string));
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
