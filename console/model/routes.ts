/** The page of an address, in the part after the `#`: `#/history?process=launch`. */
export interface Route {
  readonly page: Page | 'unknown';
  /** An event's id or an endpoint's name. */
  readonly of: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

export const PAGES = ['now', 'history', 'event', 'endpoints', 'doctor'] as const;
export type Page = (typeof PAGES)[number];

/** Reads any text. Without the name of a page it is the first page. */
export function readRoute(hash: string): Route {
  const [path = '', ...queries] = hash.replace(/^#/, '').split('?');
  const [, page = '', ...rest] = path.split('/');
  const of = rest.length > 0 ? decoded(rest.join('/')) : undefined;
  const query = Object.fromEntries(new URLSearchParams(queries.join('?')));
  const known = page === '' ? 'now' : (PAGES.find(each => each === page) ?? 'unknown');
  return { page: known, of: of === '' ? undefined : of, query };
}

/** The address of a route. Empty values are left out. */
export function addressOf(
  page: Page,
  of?: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const asked = new URLSearchParams(given).toString();
  const path = of === undefined || of === '' ? '' : `/${encodeURIComponent(of.toWellFormed())}`;
  return `#/${page}${path}${asked === '' ? '' : `?${asked}`}`;
}

/** The token in an address from `npx changewire console`. */
export function tokenIn(hash: string): string | undefined {
  return /^#token=([\w-]{16,})$/.exec(hash)?.[1];
}

/** The token in an address or token that a user pasted. */
export function pastedToken(text: string): string | undefined {
  return /^(?:https?:\S+#token=)?([\w-]{32,})$/.exec(text.trim())?.[1];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
