import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { printable } from '../../local/terminal/text.ts';
import { type Paper, paint, type Style, say } from './paper.ts';

type Doctor = AnswerOf<'doctor'>;
type Verdict = Doctor['findings'][number]['verdict'];

const MARKS: Record<Verdict, readonly [string, Style]> = {
  fine: ['ok', 'green'],
  setting: ['setting', 'cyan'],
  warning: ['warning', 'yellow'],
  unknown: ['unknown', 'dim'],
};
const INDENT = ' '.repeat(10);

/** What was found, with what was asked and what came; and the settings that follow, ready to paste. */
export function doctorText({ workspace, process, findings, settings }: Doctor, paper: Paper): string {
  const told = findings.map(({ topic, verdict, found, asked, came, remedy }) => {
    const [mark, style] = MARKS[verdict];
    return [
      `${paint(paper, style, mark.padEnd(INDENT.length))}${paint(paper, 'bold', say`${topic}`)}: ${say`${found}`}`,
      ...(remedy === undefined ? [] : [`${INDENT}${paint(paper, style, '→')} ${say`${remedy}`}`]),
      ...asked.map(request => `${INDENT}${paint(paper, 'dim', say`asked  ${request}`)}`),
      `${INDENT}${paint(paper, 'dim', say`came   ${came}`)}`,
    ].join('\n');
  });
  return [say`${workspace}/${process}`, ...told, settingsText(settings, process)].join('\n\n');
}

function settingsText({ workspace, process }: Doctor['settings'], id: string): string {
  const parts = [
    ...(Object.keys(workspace).length > 0 ? [`In the workspace:\n${json(workspace)}`] : []),
    ...(Object.keys(process).length > 0 ? [`${say`In the process ${id}`}:\n${json(process)}`] : []),
  ];
  if (parts.length === 0) return 'No setting follows: the defaults fit.';
  return `Settings for cdk.json or the configuration file.\n\n${parts.join('\n\n')}`;
}

function json(value: object): string {
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}
