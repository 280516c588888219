/** JSON text that SNS and SQS take: they carry the characters of XML 1.0 only. JSON escapes control characters and lone
 *  surrogates already; the two noncharacters remain. */
export function serialise(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\uFFFE\uFFFF]/g,
    character => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
