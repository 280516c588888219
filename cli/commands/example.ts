/** The examples in a command's help. A test parses each line. */
export function examples(...lines: readonly string[]): string {
  const title = lines.length > 1 ? 'Examples' : 'Example';
  return `\n${title}:\n${lines.map(line => `  npx changewire ${line}`).join('\n')}`;
}
