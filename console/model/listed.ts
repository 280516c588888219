/** Reads comma-separated values of a form's field. A value that is empty or has a comma is quoted, as in JSON. */
export function readListed(text: string): string[] {
  return [...text.matchAll(PART)].flatMap(([, quoted, plain = '']) => {
    if (quoted !== undefined) return [unquoted(quoted)];
    const value = plain.trim();
    return value === '' ? [] : [value];
  });
}

export function showListed(values: readonly unknown[]): string {
  return values.map(value => shown(String(value))).join(', ');
}

const PART = /\s*("(?:[^"\\]|\\.)*")\s*(?=,|$)|([^,]+)/gs;

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

function shown(value: string): string {
  const isPlain = value !== '' && value.trim() === value && !/^"|,/.test(value);
  return isPlain ? value : JSON.stringify(value);
}
