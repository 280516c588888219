import type { Findings } from './line.ts';

/** The lines of all measurements as a Markdown table, and the notes below it. */
export function pageOf(findings: readonly Findings[]): string {
  const rows = findings.flatMap(({ lines }) => lines);
  const cells = rows.map(({ what, goal, measured, isMet }) => [
    what,
    goal,
    measured,
    isMet ? 'yes' : '**no**',
  ]);
  const table = [['', 'goal', 'measured', 'met?'], ['---', '---', '---', '---'], ...cells];
  const notes = findings.flatMap(({ notes = [] }) => notes);
  return [table.map(row => `| ${row.join(' | ')} |`).join('\n'), ...notes].join('\n\n');
}

const [BEGIN, END] = ['<!-- printed by npm run bench -->', '<!-- end of what npm run bench prints -->'];

/** The page with `text` put between its two markers. @throws when it has none */
export function between(page: string, text: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has no lines ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${text}\n\n${page.slice(end)}`;
}
