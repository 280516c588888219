/** JSON text that SNS and SQS accept, which carry only the characters of XML 1.0. JSON escapes control
 *  characters and lone surrogates already; the two noncharacters remain. */
export function serialise(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\uFFFE\uFFFF]/g,
    character => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
