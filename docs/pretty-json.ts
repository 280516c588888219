/** The line width of Biome. */
const MAX_COLUMNS = 110;

/** JSON in which a part that fits on a line is on one line, except the whole value.
 *  @param taken characters that the line has already */
export function prettyJson(value: unknown, indent = '', taken = 0): string {
  const flat = flatJson(value);
  if (typeof value !== 'object' || value === null || flat.length <= 2) return flat;
  if (taken > 0 && taken + flat.length <= MAX_COLUMNS) return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map(item => `${inner}${prettyJson(item, inner, inner.length)}`);
    return `[\n${items.join(',\n')}\n${indent}]`;
  }
  const lines = Object.entries(value).map(([key, item]) => {
    const start = `${inner}${JSON.stringify(key)}: `;
    return `${start}${prettyJson(item, inner, start.length)}`;
  });
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

function flatJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flatJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${flatJson(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
