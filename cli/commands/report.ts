import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../context/runner.ts';
import { collect } from '../report/collect.ts';
import { Names } from '../report/rules.ts';
import { REPORT } from '../report/shape.ts';
import { text } from '../show/display.ts';
import { examples } from './example.ts';
import { statusOf } from './status.ts';

interface Options {
  readonly anonymous?: boolean;
  readonly config?: string;
}

/** `changewire report`: one file for a bug report. `REPORT` has what passes into it. */
export function reportCommand(program: Command, { run, world }: Cli): void {
  program
    .command('report [file]')
    .description('write one file for a bug report: versions, configuration, status, last errors, timings')
    .option('--anonymous', 'replace names and ids, such as by workspace-1')
    .option('--config <file>', 'configuration file (default: changewire.json in the current folder)')
    .addHelpText(
      'after',
      `\nFILE is changewire-report-TIME.json by default; "-" prints it.\n${examples('report', 'report --anonymous', 'report - --stack Changewire --region eu-central-1')}`,
    )
    .action(
      run(async (context, given: string | undefined, { anonymous = false, config }: Options) => {
        const { print, clock } = context;
        const collected = await collect(context, {
          ...{ directory: world.directory, config },
          statusOf: () => statusOf(context, Number.POSITIVE_INFINITY),
        });
        for (const { part, reason } of collected.problems)
          print.note(text`Could not read the ${part}: ${reason}`);
        const report = REPORT({ ...collected, isAnonymous: anonymous }, new Names(anonymous));
        const content = `${JSON.stringify({ about: `A report for a bug report of Changewire. ${aboutOf(anonymous)}`, ...(report as object) }, null, 2)}\n`;
        if (given === '-') {
          world.stdout.write(content);
          return print.note(aboutOf(anonymous));
        }
        const time = new Date(clock()).toISOString().slice(0, 19).replaceAll(':', '-');
        const file = given ?? `changewire-report-${time}.json`;
        write(resolve(world.directory, file), content);
        print.answer({ file, isAnonymous: anonymous }, () => text`Wrote ${file}. ${aboutOf(anonymous)}`);
      }),
    );
}

function write(path: string, content: string): void {
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it already exists' : code;
    throw new Error(`Could not write ${path}: ${why}. Name another file.`, { cause: error });
  }
}

const CONTENTS =
  'It has versions, configuration, status, the last errors and timings, without secrets, paths of addresses, headers, ' +
  'records and events.';

function aboutOf(isAnonymous: boolean): string {
  return isAnonymous
    ? `${CONTENTS} Names and ids are replaced. Times, numbers and states are not: read it before you send it.`
    : `${CONTENTS} It has the names of workspaces, processes, endpoints, fields and hosts, and ids of projects: read it before you send it, or use --anonymous.`;
}
