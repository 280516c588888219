import { headerIn } from '../../functions/model/headers.ts';

/** The headers in lines of `Name: value`; with `removes`, `Name:` alone is null, which removes the header.
 *  @throws an error for another line; it shows no value */
export function headersIn(text: string, { removes = false } = {}): Record<string, string | null> {
  const lines = text.split('\n').map(line => line.trim());
  return Object.fromEntries(
    lines.flatMap((line, index): [name: string, value: string | null][] => {
      if (line === '') return [];
      const header = headerIn(line);
      if (header) return [header];
      const [, name] = /^([^:\s]+):$/.exec(line) ?? [];
      if (removes && name !== undefined) return [[name, null]];
      throw new Error(`headers: line ${index + 1} is not a name, a colon and a value.`);
    }),
  );
}
