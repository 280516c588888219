/** The end of a command's help. Every line that begins with `npx changewire` is parsed by a test. */
export function examples(...lines: readonly string[]): string {
  const title = lines.length > 1 ? 'Examples' : 'Example';
  return `\n${title}:\n${lines.map(line => `  npx changewire ${line}`).join('\n')}`;
}
