import type { DoctorAnswer } from '../protocol/doctor.ts';

/** Where the service is: what a configuration must say of it, too. */
export interface ServiceAddresses {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
}

/** The settings as they stand in a configuration: a whole one where the addresses are known, else the workspace's entry in
 *  `workspaces`, to be merged into that which is there. Undefined when none follow. */
export function settingsToPaste(answer: DoctorAnswer, addresses?: ServiceAddresses): string | undefined {
  const { workspace: name, process: id, settings } = answer;
  if (Object.keys(settings.workspace).length + Object.keys(settings.process).length === 0) return undefined;
  const workspace = { name, ...addresses, ...settings.workspace, processes: [{ id, ...settings.process }] };
  return JSON.stringify(addresses ? { workspaces: [workspace] } : workspace, null, 2);
}
