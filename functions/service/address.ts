/** Where a server is: its origin, and the path prefix that all its paths share. */
export interface Address {
  readonly origin: string;
  readonly prefix: string;
}

/**
 * Reads a base address; `name` is the option's, for errors, which never show the address itself.
 * Throws a TypeError for anything but a plain http(s) address: credentials in it would end up in logs.
 */
export function parseAddress(name: string, text: string): Address {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`${name}: expected an http or https address`);
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError(`${name}: expected an address without credentials, query and fragment`);
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Path and query of a request. Segments and values are percent-encoded; undefined values are left out. */
export function pathOf(
  address: Address,
  segments: readonly string[],
  query: Record<string, string | number | undefined> = {},
): string {
  const path = segments.map(encodeSegment).join('/');
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encode(String(value))}`);
  return `${address.prefix}/${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

/** A path as errors name it, with the beginning of a long cursor: cursors may have thousands of characters. */
export function shownPath(path: string): string {
  return path.replace(/([?&]after=[^&]{60})[^&]+/, '$1…');
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function encodeSegment(segment: string): string {
  if (segment === '')
    throw new TypeError('an empty identifier names nothing that the service could be asked for');
  // As they stand, "." and ".." would be resolved on the way and name another resource.
  return /^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '%2E') : encode(segment);
}
