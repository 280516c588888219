/** The text with the JSON block behind each `<!-- example: <name> -->` replaced by that example, or put there.
 *  @throws when a marker names no example */
export function embedExamples(text: string, examples: ReadonlyMap<string, string>): string {
  return text.replace(/<!-- example: (\S+) -->(?:\n+```json\n.*?\n```)?/gs, (_, name: string) => {
    const example = examples.get(name);
    if (example === undefined) throw new Error(`docs/events.md asks for "${name}", which is no example.`);
    return `<!-- example: ${name} -->\n\`\`\`json\n${example.trimEnd()}\n\`\`\``;
  });
}
