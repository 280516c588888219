import type { ChangeLine, ChangeText } from './change-line.ts';

/** A change in one line: `Onboarding › Task 12 · Status: To do → Done · by Ann Lee`. */
export function lineText(line: ChangeLine): string {
  const { project, task, definition, process, by } = line;
  const where = [project?.name, task?.name, definition].filter(Boolean).join(' › ') || process;
  return [where, whatText(line), by && `by ${by}`].filter(Boolean).join(' · ');
}

/** The change without its project and task. */
export function whatText({ action, changes, more, note }: ChangeLine): string {
  if (note !== undefined) return note;
  const isWhole = action !== 'updated';
  const fields = changes.map(change => changeInText(change, isWhole)).join(', ');
  const rest = more > 0 ? ` and ${more} more` : '';
  return [isWhole ? action : '', `${fields}${rest}`].filter(Boolean).join(', ');
}

function changeInText({ label, from, to, choices }: ChangeText, isWhole: boolean): string {
  if (choices) return `${label}: ${choices.map(({ sign, text }) => `${sign}${text}`).join(', ')}`;
  if (isWhole) return `${label}: ${to ?? from ?? 'empty'}`;
  return `${label}: ${from ?? 'empty'} → ${to ?? 'empty'}`;
}
