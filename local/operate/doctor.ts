import type { Sleep } from '../../functions/basics/clock.ts';
import { SYSTEM, sleep } from '../../functions/basics/system.ts';
import { createDoctor, type DoctorOptions } from '../../functions/doctor/doctor.ts';
import { configuredIn } from '../../functions/doctor/settings.ts';
import { createWatch } from '../../functions/doctor/watch.ts';
import type { OperationsContext } from '../../functions/operations/context.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { connect } from '../../functions/service/client.ts';
import { openProbe } from '../../functions/service/probe.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { Source } from '../settings/source.ts';

/** A doctor for the services that a run polls. It can also check a process that isn't polled yet. */
export function doctorOf(
  source: Pick<Source, 'watched'>,
  wait: Sleep = sleep,
): ReturnType<typeof createDoctor> {
  return createDoctor(partsOf(source, wait));
}

/** A doctor that watches the service during an edit of a task. */
export function watchOf(
  source: Pick<Source, 'watched'>,
  wait: Sleep = sleep,
): ReturnType<typeof createWatch> {
  return createWatch(partsOf(source, wait));
}

function partsOf({ watched }: Pick<Source, 'watched'>, wait: Sleep): DoctorOptions {
  const between = { clock: Date.now, sleep: wait };
  const open = (name: string) => openProbe({ ...connectionOf({ watched }, name), ...between });
  const configured = configuredIn(watched.map(({ workspace }) => workspace));
  return { open, configured, ...between };
}

/** Connects to the services that a run polls. */
export function connectTo(source: Pick<Source, 'watched'>): OperationsContext['connectService'] {
  return (name, concurrency) => connect({ ...connectionOf(source, name), ...SYSTEM, concurrency });
}

function connectionOf({ watched }: Pick<Source, 'watched'>, name: string) {
  const found = watched.find(({ workspace }) => workspace.name === name);
  if (!found) throw new Refused('Unknown workspace.');
  return { ...found.workspace, credentials: async () => found.credentials, random: Math.random };
}

/** The workspace to look for a process: the one that has it, or the only workspace.
 *  @throws UsageError if several are possible */
export function workspaceOf(
  { watched }: Pick<Source, 'watched'>,
  process: string,
  workspace: string | undefined,
): string {
  const names = watched.map(each => each.workspace.name);
  const having = watched.filter(each => each.workspace.processes.some(({ id }) => id === process));
  const [one, other] = having.length > 0 ? having : watched;
  const name = workspace ?? (other ? undefined : one?.workspace.name);
  if (name !== undefined && names.includes(name)) return name;
  throw new UsageError(`Name the workspace of the process with --workspace: ${names.join(', ')}.`);
}
