import type { Command } from 'commander';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { Cli } from '../context/runner.ts';
import { type Display, text } from '../show/display.ts';
import { eventText } from '../show/events.ts';
import { table } from '../show/table.ts';
import { when } from '../show/times.ts';
import { examples } from './example.ts';

interface Options {
  readonly process?: string;
  readonly workspace?: string;
}

/** The number of events that are shown; `events` lists all. */
const MAX_EVENTS = 10;

export function recordCommand(program: Command, { run }: Cli): void {
  program
    .command('record <project> [task]')
    .description('show a project or task as last read, and its latest changes')
    .option('--process <id>', 'its process, if several have this project')
    .option('--workspace <name>', 'its workspace, if several have this process')
    .addHelpText('after', examples('record 1001', 'record 1001 500001 --process launch --json'))
    .action(
      run(async ({ ask, print }, project: string, task: string | undefined, options: Options) => {
        const record = await ask({ operation: 'record', ...options, project, ...(task && { task }) });
        const { workspace, process } = record;
        const { events } = await ask({
          ...{ operation: 'events', workspace, process, project },
          ...(task && { task }),
          limit: MAX_EVENTS,
        });
        print.answer({ ...record, events: events.map(({ event }) => event) }, display =>
          recordText(record, events, display),
        );
      }),
    );
}

function recordText(
  { workspace, process, project, task, readAt, record, tasks }: AnswerOf<'record'>,
  events: AnswerOf<'events'>['events'],
  display: Display,
): string {
  const nameOf = ({ id, name }: AnswerOf<'record'>['project']) => (name ? `${name} (${id})` : id);
  const rows = Object.entries(record).map(([field, value]) => [
    field,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const path = [project, ...(task ? [task] : [])].map(nameOf).join(' › ');
  return [
    text`${path}`,
    text`${process} in ${workspace}, read ${when(readAt, display)}${tasks === undefined ? '' : `, ${tasks} tasks`}`,
    '',
    table([{ title: 'FIELD', whole: true }, { title: 'VALUE' }], rows, display),
    '',
    ...(events.length > 0 ? events.map(event => eventText(event, display)) : ['No changes in the journal.']),
  ].join('\n');
}
