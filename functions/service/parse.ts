import type { Json } from '../json.ts';

const MAY_LOSE_DIGITS = /(?:^|[\s:,[])-?\d{16}/;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? '';
  return /^-?\d+$/.test(source) ? source : value;
};

/**
 * JSON text to its value, or undefined when the text is no JSON. Integers beyond `Number.MAX_SAFE_INTEGER` become text,
 * so that an identifier never loses its last digits; the reviver that this needs is slow, so it runs only when it must.
 */
export function parseJson(text: string): Json | undefined {
  try {
    return (MAY_LOSE_DIGITS.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as Json;
  } catch {
    return undefined;
  }
}
