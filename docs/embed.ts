import type { Json } from '../functions/basics/json.ts';
import { prettyJson } from './pretty-json.ts';

/** Replaces the JSON block after each `<!-- example: <name> <path>… -->`. Without a path it shows the whole example,
 *  otherwise only the parts at these paths (`data.changes.4.to`).
 *  @throws when a marker names an unknown example, or a path that the example lacks */
export function embedExamples(text: string, examples: ReadonlyMap<string, string>): string {
  const marked = /<!-- example: (\S+)((?: \S+)*) -->(?:\n+```json\n.*?\n```)?/gs;
  return text.replace(marked, (_, name: string, paths: string) => {
    const example = examples.get(name);
    if (example === undefined) throw new Error(`Unknown example "${name}".`);
    const shown = paths === '' ? example.trimEnd() : prettyJson(partsOf(JSON.parse(example), paths.trim()));
    return `<!-- example: ${name}${paths} -->\n\`\`\`json\n${shown}\n\`\`\``;
  });
}

type Tree = { [name: string]: Tree };

function partsOf(example: Json, paths: string): Json {
  const wanted: Tree = {};
  for (const path of paths.split(' ')) {
    let at = wanted;
    for (const name of path.split('.')) at = at[name] ??= {};
  }
  return pick(example, wanted, '');
}

/** The parts of a value that a tree of names and indexes reaches; its leaves stand for whole values. */
function pick(value: Json, wanted: Tree, path: string): Json {
  const names = Object.keys(wanted);
  if (names.length === 0) return value;
  const parts = names.map(name => {
    const part = (value as Record<string, Json> | null)?.[name];
    if (part === undefined) throw new Error(`The example has no "${path}${name}".`);
    return [name, pick(part, wanted[name] ?? {}, `${path}${name}.`)] as const;
  });
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}
