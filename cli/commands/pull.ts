import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { parseDuration } from '../../local/basics/duration.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import type { Cli } from '../context/runner.ts';
import { wholeIn } from '../options/parsers.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';

interface TakeOptions {
  readonly limit?: number;
  readonly lease?: string;
  readonly ack?: boolean;
}

export function pullCommands(program: Command, { run }: Cli): void {
  program
    .command('take <endpoint>')
    .description('take the next events of an endpoint of kind pull, one JSON object per line')
    .option('--limit <n>', 'maximum number, from 1 to 100 (default: 10)', wholeIn([1, 100]))
    .option('--lease <duration>', 'how long no other consumer gets them, up to 12h (default: 60s)')
    .option('--ack', 'acknowledge them at once')
    .addHelpText('after', examples('take crm --limit 100', 'take crm --ack'))
    .action(
      run(async ({ ask, print }, endpoint: string, { limit, lease, ack }: TakeOptions) => {
        const { events, isPaused } = await ask({
          ...{ operation: 'take', endpoint },
          ...(limit !== undefined && { limit }),
          ...(lease !== undefined && { lease: seconds('--lease', lease) }),
        });
        if (isPaused) print.note(`${endpoint} is paused: its events wait until it is resumed.`);
        if (events.length > 0) print.answers(events, () => events.map(one => JSON.stringify(one)).join('\n'));
        const receipts = events.map(({ receipt }) => receipt);
        if (ack && receipts.length > 0) await ask({ operation: 'ack', endpoint, receipts });
      }),
    );
  program
    .command('ack <endpoint> <receipts...>')
    .description('acknowledge events that were taken: they are removed')
    .addHelpText('after', examples('ack crm RECEIPT'))
    .action(
      run(async ({ ask, print }, endpoint: string, receipts: string[]) => {
        const ended = await ask({ operation: 'ack', endpoint, receipts });
        print.answer(ended, () => endedText(ended, 'Acknowledged'));
      }),
    );
  program
    .command('nack <endpoint> <receipts...>')
    .description('return events that could not be processed: they are taken again')
    .option('--delay <duration>', 'after this time, up to 12h (default: at once)')
    .addHelpText('after', examples('nack crm RECEIPT --delay 5m'))
    .action(
      run(async ({ ask, print }, endpoint: string, receipts: string[], { delay }: { delay?: string }) => {
        const ended = await ask({
          ...{ operation: 'nack', endpoint, receipts },
          ...(delay !== undefined && { delay: seconds('--delay', delay) }),
        });
        print.answer(ended, () => endedText(ended, 'Returned'));
      }),
    );
}

function endedText({ ended, late }: AnswerOf<'ack'>, done: string): string {
  const lateText = late === 0 ? '' : ` ${late} were no longer leased by this receipt.`;
  return text`${done} ${ended} event${ended === 1 ? '' : 's'}.${lateText}`;
}

/** @throws UsageError */
function seconds(option: string, given: string): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms % 1000 === 0 && ms <= 43_200_000) return ms / 1000;
  throw new UsageError(`${option} takes whole seconds, minutes or hours up to 12h, such as 30s or 5m.`);
}
