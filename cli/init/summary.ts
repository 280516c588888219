import { CONFIG_FILE } from '../../local/settings/config-file.ts';
import { text } from '../show/display.ts';

/** The result of `changewire init`. */
interface Summary {
  readonly file: string;
  /** Variables that were added to `.env`. */
  readonly variables: readonly string[];
  /** Variables that have no value yet. */
  readonly missing: readonly string[];
}

/** The written files and the next two steps. */
export function summaryText({ file, variables, missing }: Summary): string {
  const config = file === CONFIG_FILE ? '' : text` --config ${file}`;
  const steps =
    missing.length > 0
      ? [
          text`Set ${missing.join(' and ')} in the environment or in a file .env in this directory`,
          `npx changewire start${config}`,
        ]
      : [
          `npx changewire start${config} (the first pass only stores a baseline and publishes no events)`,
          'npx changewire status, in another terminal, to see the health of the processes',
        ];
  return [
    text`Created ${file}.`,
    ...(variables.length > 0
      ? [`Added ${variables.join(' and ')} to .env, readable only by you. Keep it out of version control.`]
      : []),
    '',
    'Next steps:',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ].join('\n');
}
