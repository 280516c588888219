/** What an error may show of a value that stands in the wrong place: it may be a secret, whatever its key
 *  is. So only what looks like words, short numbers, and the origin of an address are quoted; anything
 *  else is described. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? '{}' : 'an object';
  const json = JSON.stringify(value) ?? 'something else';
  return json.length > LONGEST_NUMBER ? `a ${typeof value}` : json;
}

/** What an error may show of a value whose key is for a secret, or is unknown. */
export function described(value: unknown): string {
  return typeof value === 'string' && value !== '' ? `text of ${value.length} characters` : shown(value);
}

const LONGEST_NUMBER = 9;
const LONGEST_TEXT = 40;
const MOST_WORDS = 5;
const MOST_LABELS = 7;

/** A word, a number or a unit, as people write them. Random bytes as text rarely look like this. */
const WORD = /^([A-Za-z][a-z]{0,14}|[A-Z]{1,4})\d{0,4}$|^\d{1,6}[a-z]{0,2}$|^\*$/;
/** A key in camelCase; a longer one could be base64. */
const CAMEL_CASE = /^(?=.{1,16}$)[a-z]+([A-Z][a-z]+)*[A-Z]{0,3}$/;

/** Whether a text is made of a few words, or of one. */
export function isWords(text: string, most = MOST_WORDS): boolean {
  const words = text.split(/[-_.,:/@ ]/);
  if (CAMEL_CASE.test(text)) return true;
  return text.length <= LONGEST_TEXT && words.length <= most && words.every(word => WORD.test(word));
}

function shownText(text: string): string {
  if (text === '' || isWords(text)) return JSON.stringify(text);
  const url = URL.parse(text);
  if (!url || !/^(https?|ftp|wss?):$/.test(url.protocol) || !isWords(url.host, MOST_LABELS))
    return described(text);
  if (url.username || url.password) return 'an address with a user name or password';
  // A password with a slash in it: the part before the slash would be shown as the host.
  if (text.includes('@')) return described(text);
  // Only the origin: the path may hold a secret.
  const origin = `${url.protocol}//${url.host}`;
  return JSON.stringify(text === origin || text === `${origin}/` ? text : `${origin}/…`);
}
