import { type ServiceAddresses, settingsToPaste } from '../../functions/doctor/settings.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { printableLines } from '../../local/terminal/text.ts';
import { type Display, paint, type Style, text } from './display.ts';

type Doctor = AnswerOf<'doctor'>;
type Verdict = Doctor['findings'][number]['verdict'];

const MARKS: Record<Verdict, readonly [string, Style]> = {
  fine: ['ok', 'green'],
  setting: ['setting', 'cyan'],
  warning: ['warning', 'yellow'],
  unknown: ['unknown', 'dim'],
};
/** Requests per finding in text output; JSON contains all of them. */
const MAX_ASKED = 2;
const INDENT = ' '.repeat(10);

/** The findings with requests and responses, and the suggested settings, ready to paste. */
export function doctorText(answer: Doctor, display: Display, addresses?: ServiceAddresses): string {
  const { workspace, process, findings } = answer;
  const shown = findings.map(({ topic, verdict, found, asked, came, remedy }) => {
    const [mark, style] = MARKS[verdict];
    return [
      `${paint(display, style, mark.padEnd(INDENT.length))}${paint(display, 'bold', text`${topic}`)}: ${text`${found}`}`,
      ...(remedy === undefined ? [] : [`${INDENT}${paint(display, style, '→')} ${text`${remedy}`}`]),
      ...[
        ...asked.slice(0, MAX_ASKED),
        ...(asked.length > MAX_ASKED ? [`${asked.length - MAX_ASKED} more like this`] : []),
      ].map(request => `${INDENT}${paint(display, 'dim', text`request   ${request}`)}`),
      `${INDENT}${paint(display, 'dim', text`response  ${came}`)}`,
    ].join('\n');
  });
  return [text`${workspace}/${process}`, ...shown, settingsText(answer, addresses)].join('\n\n');
}

/** The settings as text to copy, never cut or coloured. */
function settingsText(answer: Doctor, addresses: ServiceAddresses | undefined): string {
  const settings = settingsToPaste(answer, addresses);
  if (settings === undefined) return 'No settings suggested: the defaults are suitable.';
  const where = addresses
    ? 'A configuration file with the suggested settings (npx changewire start --config FILE)'
    : 'Suggested settings for this workspace in the configuration';
  return `${where}:\n\n${printableLines(settings)}`;
}
