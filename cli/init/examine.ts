import { readConfig } from '../../functions/config/read.ts';
import type { DoctorAnswer } from '../../functions/operations/protocol/answers.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Environment } from '../../local/basics/process.ts';
import { doctorOf } from '../../local/operate/doctor.ts';
import { configuredSource } from '../../local/settings/source.ts';
import type { World } from '../context/world.ts';
import { configOf, type Draft, type Setting } from './draft.ts';
import type { Given } from './questions.ts';
import { settingsWithReasons } from './reasons.ts';

/** The service could not be read; `answers` are probably wrong. */
export class Unreadable extends Refused {
  readonly answers: readonly (keyof Given)[];

  constructor(message: string, answers: readonly (keyof Given)[]) {
    super(message);
    this.answers = answers;
  }
}

/** The draft with the settings that the doctor suggests. `environment` contains the credentials; `note` prints
 *  progress and warnings. @throws Unreadable without a token, or if a process cannot be listed */
export async function examined(
  draft: Draft,
  {
    environment,
    sleep,
    note,
  }: {
    readonly environment: Environment;
    readonly sleep: World['sleep'];
    readonly note: (text: string) => void;
  },
): Promise<Draft> {
  let known = draft;
  for (const { id } of draft.processes) {
    note(`Probing the service for ${id} with a few dozen read-only requests.`);
    // Earlier settings are included, so that settings of the workspace suit all processes.
    const source = configuredSource(readConfig(configOf(known)), environment);
    const answer = await doctorOf(source, sleep)({ workspace: draft.name, processId: id });
    requireListed(answer);
    const found = settingsWithReasons(answer);
    const count = found.workspace.length + found.process.length;
    note(
      `  ${count === 0 ? 'the defaults are suitable' : settingsText([...found.workspace, ...found.process])}`,
    );
    for (const { topic, found } of answer.findings.filter(({ verdict }) => verdict === 'warning'))
      note(`  ${topic}: ${found}`);
    known = {
      ...known,
      settings: joined(known.settings, found.workspace),
      processes: known.processes.map(process =>
        process.id === id ? { id, settings: joined(process.settings, found.process) } : process,
      ),
    };
  }
  return known;
}

function settingsText(settings: readonly Setting[]): string {
  return settings.map(({ key, value }) => `${key} ${JSON.stringify(value)}`).join(', ');
}

/** Rejects a process that could not be listed: then credentials or addresses are probably wrong. */
function requireListed({ process, findings }: DoctorAnswer): void {
  const listed = findings.find(({ topic }) => topic === 'process');
  if (listed?.verdict === 'fine') return;
  // Without a token, the process was not requested.
  const { found, came, remedy = '' } = listed ?? findings[0] ?? { found: '', came: 'nothing' };
  const message = `${process}: ${found} Response: ${came.replace(/\.$/, '')}. ${remedy}`.trim();
  throw new Unreadable(message, listed ? ['baseUrl', 'process'] : ['authUrl', 'audience']);
}

/** Later values of a setting include the earlier ones; the reasons are merged here. */
function joined(before: readonly Setting[], found: readonly Setting[]): Setting[] {
  const reasonsOf = (key: string) => before.find(each => each.key === key)?.why ?? {};
  const later = found.map(({ key, value, why }) => ({ key, value, why: { ...reasonsOf(key), ...why } }));
  return [...before.filter(({ key }) => !found.some(each => each.key === key)), ...later];
}
