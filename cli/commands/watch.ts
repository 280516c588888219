import type { Context } from '../context/context.ts';
import type { Output } from '../context/world.ts';
import type { Display } from '../show/display.ts';

const EVERY_MS = 2000;
const HOME = '\u001B[H';
const CLEAR_LINE = '\u001B[K';
const CLEAR_BELOW = '\u001B[J';

interface Shown<Answer> {
  format(answer: Answer, display: Display): string;
  lines(answer: Answer): readonly object[];
}

/** Refreshes an answer until interrupted, on a terminal in place. A failed request is shown and retried,
 *  except for the first one. */
export async function watch<Answer>(
  { print, sleep, interrupted }: Context,
  stdout: Output,
  question: () => Promise<Answer>,
  { format, lines }: Shown<Answer>,
): Promise<void> {
  let answer: Answer | undefined;
  while (!interrupted.aborted) {
    const lost = await question().then(
      received => {
        answer = received;
        return undefined;
      },
      (error: Error) => error,
    );
    if (answer === undefined) throw lost;
    if (lost !== undefined) print.note(lost.message);
    else if (print.json) print.answers(lines(answer), () => '');
    else show(format(answer, print.display()), stdout);
    await sleep(EVERY_MS, interrupted).catch(() => undefined);
  }
}

function show(text: string, stdout: Output): void {
  if (stdout.isTTY !== true) return void stdout.write(`${text}\n\n`);
  const lines = text.split('\n');
  // Text taller than the terminal would scroll, and could not be overwritten.
  const room = (stdout.rows ?? 24) - 1;
  const seen =
    lines.length <= room ? lines : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more lines`];
  stdout.write(`${HOME}${seen.map(line => `${line}${CLEAR_LINE}\n`).join('')}${CLEAR_BELOW}`);
}
