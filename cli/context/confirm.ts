import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { type Context, Failed } from './context.ts';

/** How much of a question a command line answers already. */
export interface Consent {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

type Destroying = Extract<Request, { dryRun?: boolean | undefined }>;

/** Does what destroys, or tells many people, something: with `--yes` at once; on a terminal after a yes to what a dry run says; and with
 *  `--dry-run` not at all. `words` are of the answer, whose `dryRun` says whether it was done.
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
  print.note(words(await ask({ ...request, dryRun: true })));
  if (!(await input.confirm('Do it?'))) {
    print.note('Nothing was done.');
    throw new Failed();
  }
  show(await ask(request));
}

const UNASKED =
  'This asks before it does anything, and nobody is there to be asked: say --yes, or look first with --dry-run.';
