import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startRunner } from '../../../local/cli/runner.ts';
import { pageAddress, readAddress, writeOpener } from '../../../local/operate/address.ts';
import { parseOptions } from '../../../local/settings/options.ts';
import type { Output } from '../../../local/terminal/output.ts';
import { type SimulatedService, startSimulatedService } from '../../../simulator/server.ts';
import { answer, startReceiver } from '../delivery/receiver.ts';
import { environmentOf } from '../local/run.ts';

/** A run as `npm start` makes it, with one endpoint, `crm`, over a simulated service that changes only
 *  when told to. */
export interface Run {
  readonly service: SimulatedService;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
  /** Gives the first task of a project of `onboarding` another name: one change. */
  rename(project: string, name: string): void;
  /** Where the console is, with its token. */
  address(): string;
  /** The same with the token that can change nothing. */
  readOnlyAddress(): string;
  /** The file that `changewire console --open` opens. */
  opener(): string;
  /** Stops the run, and keeps its data directory. */
  stop(): Promise<void>;
  /** Starts the next run with what the last one left; `without` names a process that it does not poll. */
  start(without?: string): Promise<void>;
  close(): Promise<void>;
}

export async function openRun(): Promise<Run> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-console-'));
  const service = await startSimulatedService({ seed: 1 });
  const receiver = await startReceiver(answer(204));
  const data = join(directory, 'data');
  const args = ['--data', data, '--interval', '250ms', '--webhook', receiver.url, '--name', 'crm'];
  let runner: Awaited<ReturnType<typeof startRunner>> | undefined;
  const stop = async () => {
    await runner?.stop();
    runner = undefined;
  };
  const start = async (without?: string) => {
    const ready = Promise.withResolvers<void>();
    const awaited = new Set(service.workspace.processes());
    const quiet = () => undefined;
    const info = (text: string) => {
      const [, process = ''] = /^Reading (\S+) for the first time: (\d+) of \2 projects/.exec(text) ?? [];
      if (awaited.delete(process) && awaited.size === 0) ready.resolve();
    };
    const output: Output = {
      isTerminal: false,
      event: quiet,
      info,
      warn: quiet,
      log: { info: quiet, warn: quiet, error: quiet },
    };
    const options = parseOptions(args);
    const processes = service.workspace.processes().filter(id => id !== without);
    const environment = { ...environmentOf(service), SERVICE_PROCESSES: processes.join(',') };
    runner = await startRunner({ options, environment, output, clock: Date.now });
    runner.watch();
    return { baselined: ready.promise };
  };
  const found = () => {
    const address = readAddress(data);
    if (!address) throw new Error('Nothing runs.');
    return address;
  };
  // Changes are told once the baseline is complete.
  await (await start()).baselined;
  return {
    ...{ service, receiver, stop },
    start: async without => void (await start(without)),
    rename: (project, name) => {
      const [task] = service.workspace.tasks('onboarding', project);
      service.workspace.updateTask('onboarding', project, String(task?.id), { name });
    },
    address: () => pageAddress(found()),
    readOnlyAddress: () => {
      const { url, readOnlyToken = '' } = found();
      return pageAddress({ url, token: readOnlyToken });
    },
    opener: () => pathToFileURL(writeOpener(data, found())).href,
    close: async () => {
      await stop();
      await service.stop();
      await receiver.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
