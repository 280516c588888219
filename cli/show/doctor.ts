import { type ServiceAddresses, settingsToPaste } from '../../functions/doctor/settings.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { printableLines } from '../../local/terminal/text.ts';
import { type Paper, paint, type Style, text } from './paper.ts';

type Doctor = AnswerOf<'doctor'>;
type Verdict = Doctor['findings'][number]['verdict'];

const MARKS: Record<Verdict, readonly [string, Style]> = {
  fine: ['ok', 'green'],
  setting: ['setting', 'cyan'],
  warning: ['warning', 'yellow'],
  unknown: ['unknown', 'dim'],
};
/** How many requests of one finding are shown to people; programs get all of them. */
const MAX_ASKED = 2;
const INDENT = ' '.repeat(10);

/** What was found, with what was asked and what came; and the settings that follow, ready to paste. */
export function doctorText(answer: Doctor, paper: Paper, addresses?: ServiceAddresses): string {
  const { workspace, process, findings } = answer;
  const shown = findings.map(({ topic, verdict, found, asked, came, remedy }) => {
    const [mark, style] = MARKS[verdict];
    return [
      `${paint(paper, style, mark.padEnd(INDENT.length))}${paint(paper, 'bold', text`${topic}`)}: ${text`${found}`}`,
      ...(remedy === undefined ? [] : [`${INDENT}${paint(paper, style, '→')} ${text`${remedy}`}`]),
      ...[
        ...asked.slice(0, MAX_ASKED),
        ...(asked.length > MAX_ASKED ? [`${asked.length - MAX_ASKED} more such`] : []),
      ].map(request => `${INDENT}${paint(paper, 'dim', text`asked  ${request}`)}`),
      `${INDENT}${paint(paper, 'dim', text`came   ${came}`)}`,
    ].join('\n');
  });
  return [text`${workspace}/${process}`, ...shown, settingsText(answer, addresses)].join('\n\n');
}

/** The settings as text to copy, which is never cut or coloured. */
function settingsText(answer: Doctor, addresses: ServiceAddresses | undefined): string {
  const settings = settingsToPaste(answer, addresses);
  if (settings === undefined) return 'No setting follows: the defaults fit.';
  const where = addresses
    ? 'A configuration file with the settings that follow (npx changewire start --config FILE)'
    : 'The settings that follow, for this workspace in the configuration';
  return `${where}:\n\n${printableLines(settings)}`;
}
