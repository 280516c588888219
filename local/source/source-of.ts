import type { Environment } from '../basics/environment.ts';
import { failure } from '../basics/failure.ts';
import type { RunContext } from '../data/data-directory.ts';
import { readConfigFile } from '../settings/config-file.ts';
import type { Options } from '../settings/options.ts';
import { serviceSettings } from '../settings/service-settings.ts';
import { configuredSource, realSource, type Source, simulatedSource, type Timing } from './source.ts';

/** How often the simulated service changes, and how often changes are looked for, in ms. */
const LIVELY = 2000;

/** The service to poll, and the data directory where none is named. The simulated service has another
 *  directory than real ones: what is left to be sent of one must never reach the receivers of the other. */
export function sourceOf(options: Options, environment: Environment) {
  if (options.config !== undefined) {
    const config = readConfigFile(options.config);
    const source = configuredSource(config, environment);
    return { config, data: '.changewire', start: async () => source };
  }
  const settings = serviceSettings(environment);
  if (settings !== undefined) {
    const source = realSource(settings, timingOf(options));
    return { config: undefined, data: '.changewire', start: async () => source };
  }
  const start = (run: RunContext) => openSimulated(run, options);
  return { config: undefined, data: '.changewire/simulated', start };
}

function timingOf({ interval, sweepInterval, overlap }: Options): Timing {
  return {
    ...(interval && { changes: interval }),
    ...(sweepInterval !== undefined && { sweep: sweepInterval }),
    ...(overlap !== undefined && { overlap }),
  };
}

async function openSimulated({ closers, directory, output }: RunContext, options: Options): Promise<Source> {
  const source = await simulatedSource({
    file: directory.file('service.json'),
    timing: { changes: { fastest: LIVELY, slowest: LIVELY }, ...timingOf(options) },
    every: options.once ? undefined : LIVELY,
    onError: error => output.warn(`The simulated service can't change: ${failure(error)}.`),
  });
  closers.add(source.stop);
  return source;
}
