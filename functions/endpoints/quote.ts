import type { EndpointSecret } from './endpoint.ts';

/** More of an answer than this is not read, in bytes. */
export const BODY_LIMIT = 65_536;
/** So much of an answer is looked at, in bytes, and so much of its first line is quoted, in characters. */
const QUOTED_BYTES = 1024;
const LONGEST = 120;
/** So many letters and digits in a row of an address may be part of a secret. */
const TELLING = 8;

/** The beginning of an answer's body. Reads on to its end, within the limit, so that the connection can be kept. */
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

/** The first line of an endpoint's answer that says something, for people; undefined when there is none, when it is HTML, or when
 *  it repeats what stands in the address behind the host: that may be a secret, as it is of Slack's and Teams'. */
export function quote(answer: string, url: string): string | undefined {
  const lines = answer.split(/[\r\n\u2028\u2029]/).map(clean);
  const first = lines.find(line => /[\p{L}\p{N}]/u.test(line));
  if (first === undefined || first.startsWith('<') || repeats(first, url)) return undefined;
  return first.length > LONGEST ? `${first.slice(0, LONGEST - 1)}…` : first;
}

/** The beginning of an endpoint's answer as it may be kept: on one line, without what moves a cursor or hides anything; undefined when
 *  it repeats what is secret of the endpoint. */
export function harmless(answer: string, { url, secrets = [] }: EndpointSecret): string | undefined {
  const text = clean(answer);
  const isSecret =
    repeats(text, url) || secrets.some(secret => shows(text, secret) || showsAsIs(text, secret));
  return text === '' || isSecret ? undefined : text;
}

/** Neither moves a terminal's cursor nor hides anything. */
function clean(line: string): string {
  return line
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu, '')
    .trim();
}

/** However it was written: in capitals, encoded, or with other separators. */
function repeats(line: string, url: string): boolean {
  const { pathname, search } = new URL(url);
  return shows(line, pathname + search);
}

/** A stretch of a secret in base64 may be so full of `+` and `/` that too few letters and digits are left to know it by. */
function showsAsIs(text: string, secret: string): boolean {
  return repeatsSome(text.toLowerCase(), secret.toLowerCase());
}

/** Whether a text shows enough in a row of what is hidden. */
function shows(text: string, hidden: string): boolean {
  const all = barest(text);
  return barest(hidden).some(behind => all.some(shown => repeatsSome(shown, behind)));
}

function repeatsSome(shown: string, behind: string): boolean {
  for (let at = 0; at + TELLING <= behind.length; at++)
    if (shown.includes(behind.slice(at, at + TELLING))) return true;
  return false;
}

/** What no encoding changes: where a `%` stands for an encoded character, and where it stands for itself. */
function barest(text: string): string[] {
  const lower = text.toLowerCase();
  return [/%[0-9a-f]{2}|[^a-z0-9]/g, /[^a-z0-9]/g].map(noise => lower.replaceAll(noise, ''));
}
