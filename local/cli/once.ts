import type { ProcessKey } from '../../functions/basics/process.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import type { Output } from '../basics/output.ts';
import { passDetails, requestDetails } from './pass-failures.ts';
import type { RunPass } from './polling.ts';

/** One `changes` pass of each process, after its baseline if it has none yet. @returns true when all went well. */
export async function passOnce(
  processes: readonly ProcessKey[],
  runPass: RunPass,
  output: Output,
  workspaces: readonly WorkspaceSettings[] = [],
): Promise<boolean> {
  let well = true;
  for (const process of processes) {
    const { processId } = process;
    const details = passDetails({ process, mode: 'changes' });
    try {
      output.say(`${processId}: ${await changesOf(process, runPass)}`, details);
    } catch (error) {
      well = false;
      const message = error instanceof Error ? error.message : String(error);
      output.warn(`${processId}: ${message}`, { ...details, ...requestDetails(error, process, workspaces) });
    }
  }
  return well;
}

async function changesOf(process: ProcessKey, runPass: RunPass): Promise<string> {
  for (let baselined = false; ; ) {
    const { mode, outcome, events, projects } = await runPass(process, 'changes');
    if (outcome === 'busy')
      throw new Error('another poller is at work on this process; try again in a minute');
    if (outcome === 'unfinished') continue;
    if (mode === 'changes')
      return baselined
        ? 'known from now on'
        : `${count(events, 'event')} of ${count(projects, 'project')} read`;
    baselined = true;
  }
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
