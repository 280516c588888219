import { CONFIG_FILE } from '../../local/settings/config-file.ts';
import { text } from '../show/paper.ts';

/** What `changewire init` wrote. */
interface Written {
  readonly file: string;
  /** Variables that were added to `.env`. */
  readonly variables: readonly string[];
  /** Variables that have no value yet. */
  readonly missing: readonly string[];
}

/** What was written, and the next two steps. */
export function writtenText({ file, variables, missing }: Written): string {
  const config = file === CONFIG_FILE ? '' : text` --config ${file}`;
  const steps =
    missing.length > 0
      ? [
          text`Set ${missing.join(' and ')}, in the environment or in a file .env here`,
          `npx changewire start${config}`,
        ]
      : [
          `npx changewire start${config}, which watches from this machine; the first pass only looks`,
          'npx changewire status, in another terminal: how it does',
        ];
  return [
    text`${file} is written.`,
    ...(variables.length > 0
      ? [`.env has ${variables.join(' and ')}, for this user alone: keep it out of version control.`]
      : []),
    '',
    'Next:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join('\n');
}
