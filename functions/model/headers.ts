/** The headers that an operator gives the requests of an endpoint, such as `Authorization`: their values are secrets,
 *  and stand in the endpoint's secret. */
export type EndpointHeaders = Readonly<Record<string, string>>;

const MAX_HEADERS = 10;
const MAX_NAME = 64;
const MAX_VALUE = 2048;

/** Set by us or by HTTP itself. */
const RESERVED = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'expect', 'host'],
  ...['keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent'],
]);
const RESERVED_PREFIXES = ['changewire-', 'proxy-', 'webhook-'];

/** Why these headers can't be sent, without any of their values; undefined: they can. */
export function headersProblem(headers: EndpointHeaders): string | undefined {
  const names = Object.keys(headers).map(name => name.toLowerCase());
  if (names.length > MAX_HEADERS) return `an endpoint has ${MAX_HEADERS} headers at most`;
  if (new Set(names).size < names.length) return 'a header is given twice';
  return Object.entries(headers)
    .map(([name, value]) => headerProblem(name, value))
    .find(problem => problem !== undefined);
}

function headerProblem(name: string, value: string): string | undefined {
  if (name.length > MAX_NAME || !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    return `the name of a header has 1 to ${MAX_NAME} letters, digits and "-"`;
  const lower = name.toLowerCase();
  if (RESERVED.has(lower) || RESERVED_PREFIXES.some(prefix => lower.startsWith(prefix)))
    return `${name} is a header that Changewire or HTTP sets`;
  if (value.length > MAX_VALUE || !/^[!-~]([ -~\t]*[!-~])?$/.test(value))
    return `the value of ${name} must have 1 to ${MAX_VALUE} printable ASCII characters`;
  return undefined;
}

/** The name and the value of `Name: value`; undefined for another text. */
export function headerIn(text: string): [name: string, value: string] | undefined {
  const [, name, value] = /^([^:\s]+):\s*(.+?)\s*$/.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

/** The headers after a change: a value sets a header, null removes it. Names differ in more than case. */
export function changedHeaders(
  headers: EndpointHeaders,
  change: Readonly<Record<string, string | null>>,
): EndpointHeaders {
  const names = new Set(Object.keys(change).map(name => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  const set = Object.entries(change).filter((each): each is [string, string] => each[1] !== null);
  return Object.fromEntries([...kept, ...set]);
}
