import type { DoctorAnswer } from '../operations/protocol/doctor.ts';

/** The addresses of the service, which a configuration must name too. */
export interface ServiceAddresses {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
}

/** The proposed settings in the form in which a configuration has them: a whole configuration where the
 *  addresses are known, else an entry of `workspaces`, to be merged into the existing one. Undefined when
 *  nothing is proposed. */
export function settingsToPaste(answer: DoctorAnswer, addresses?: ServiceAddresses): string | undefined {
  const { workspace: name, process: id, settings } = answer;
  if (Object.keys(settings.workspace).length + Object.keys(settings.process).length === 0) return undefined;
  const workspace = { name, ...addresses, ...settings.workspace, processes: [{ id, ...settings.process }] };
  return JSON.stringify(addresses ? { workspaces: [workspace] } : workspace, null, 2);
}
