import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Context, Failed } from './context.ts';

/** The options that replace the confirmation. */
export interface Consent {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

type Destroying = Extract<Request, { dryRun?: boolean | undefined }>;

/** Sends a request that destroys data or reaches many recipients. With `--yes` it is sent at once, with
 *  `--dry-run` only as a dry run; otherwise after a dry run and a confirmation. `format` describes the answer.
 *  @throws UsageError without a terminal */
export async function confirmed<Asked extends Destroying>(
  { ask, print, input }: Context,
  request: Asked,
  { yes = false, dryRun = false }: Consent,
  format: (answer: AnswerTo<Asked>) => string,
): Promise<void> {
  const show = (answer: AnswerTo<Asked>) => print.answer(answer, () => format(answer));
  if (dryRun) return show(await ask({ ...request, dryRun: true }));
  if (yes) return show(await ask(request));
  if (!input.canAsk) throw new UsageError(NO_TERMINAL);
  await consent({ print, input }, format(await ask({ ...request, dryRun: true })));
  show(await ask(request));
}

/** Prints what would be done, and asks for confirmation. @throws Failed unless confirmed */
export async function consent(
  { print, input }: Pick<Context, 'print' | 'input'>,
  effect: string,
): Promise<void> {
  print.note(effect);
  if (await input.confirm('Continue?')) return;
  print.note('Cancelled.');
  throw new Failed();
}

export const NO_TERMINAL =
  'This command needs confirmation, but is not running in a terminal. Use --yes, or --dry-run to preview.';
