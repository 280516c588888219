import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Context, Failed } from './context.ts';

/** Which of these options were given: what they say need not be asked. */
export interface Consent {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

type Destroying = Extract<Request, { dryRun?: boolean | undefined }>;

/** Sends a request that destroys something or reaches many people. With `--yes` it is done at once; with
 *  `--dry-run` not at all; else the terminal shows what a dry run says, and it is done after a yes.
 *  `words` are made of the answer, whose `dryRun` says whether it was done.
 *  @throws UsageError where nobody can be asked */
export async function confirmed<Asked extends Destroying>(
  { ask, print, input }: Context,
  request: Asked,
  { yes = false, dryRun = false }: Consent,
  words: (answer: AnswerTo<Asked>) => string,
): Promise<void> {
  const show = (answer: AnswerTo<Asked>) => print.answer(answer, () => words(answer));
  if (dryRun) return show(await ask({ ...request, dryRun: true }));
  if (yes) return show(await ask(request));
  if (!input.canAsk) throw new UsageError(UNASKED);
  await consent({ print, input }, words(await ask({ ...request, dryRun: true })));
  show(await ask(request));
}

/** Says what would be done, and asks. @throws Failed after anything but a yes */
export async function consent(
  { print, input }: Pick<Context, 'print' | 'input'>,
  words: string,
): Promise<void> {
  print.note(words);
  if (await input.confirm('Do it?')) return;
  print.note('Nothing was done.');
  throw new Failed();
}

/** Why a command that asks first does nothing where nobody can be asked. */
export const UNASKED =
  'This asks before it does anything, and nobody is there to be asked: say --yes, or look first with --dry-run.';
