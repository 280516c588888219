import type { AnswerOf, LogEntry } from '../../functions/operations/protocol/answers.ts';
import { printable } from '../../local/terminal/text.ts';
import { type Display, paint, type Style } from './display.ts';
import { table } from './table.ts';
import { when } from './times.ts';

const LEVELS: Record<LogEntry['level'], Style> = { debug: 'dim', info: 'dim', warn: 'yellow', error: 'red' };

/** Log lines, oldest first, never cut: the important part may be at the end. */
export function logsText(entries: readonly LogEntry[], display: Display): string {
  return entries
    .map(({ at, level, message, details }) => {
      const more =
        Object.keys(details).length > 0
          ? ` ${paint(display, 'dim', printable(JSON.stringify(details)))}`
          : '';
      return `${when(at, display)}  ${paint(display, LEVELS[level], level.padEnd(5))}  ${printable(message)}${more}`;
    })
    .join('\n');
}

/** Failed messages and their reasons. */
export function failedMessagesText(
  { queue, messages, first }: AnswerOf<'failed-messages'>,
  display: Display,
): string {
  if (messages === 0 && first.length === 0) return `${queue}: no failed messages.`;
  const rows = first.map(({ at, reason = '', about }) => [
    when(at, display),
    Object.entries(about)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
    reason,
  ]);
  const head = `${queue}: about ${messages} messages, for example:`;
  return `${head}\n\n${table([{ title: 'WHEN' }, { title: 'ABOUT' }, { title: 'REASON' }], rows, display)}`;
}
