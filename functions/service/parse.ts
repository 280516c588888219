import type { Json } from '../basics/json.ts';

const MAY_LOSE_DIGITS = /(?:^|[\s:,[])-?(?:\d{16}|\d[\d.]*[eE]\+?\d{3})/;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) || !Number.isFinite(value) ? source : value;
};

/** The text of a body, without a byte order mark; undefined when it is no UTF-8. Were broken bytes replaced
 *  by U+FFFD, they would be told as a change. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * JSON text to its value, or undefined when the text is no JSON. Integers beyond `Number.MAX_SAFE_INTEGER` become text,
 * so that an identifier never loses its last digits, and so do numbers that JavaScript takes for infinite, which would be
 * null in the snapshot; the reviver that this needs is slow, so it runs only when it must.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return (MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as Json;
  } catch {
    return undefined;
  }
}

/** A body to its value, or undefined when it is no JSON in UTF-8. */
export function parseBody(bytes: Uint8Array): Json | undefined {
  const text = decodeText(bytes);
  return text === undefined ? undefined : parseJson(text);
}
