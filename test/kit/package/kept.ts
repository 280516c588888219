import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../functions/basics/clock.ts';
import { startSimulatedService } from '../../../simulator/server.ts';
import { temporaryDirectory } from '../temporary.ts';
import { ROOT } from './loaded.ts';

/** What the tarballs of earlier versions left: see package/keep-data.ts. */
export const KEPT = join(ROOT, 'test/package/data');
export const keptVersions = readdirSync(KEPT);

/** The versions whose data this one takes, or refuses, as docs/versions.md says. */
export function versionsThatIt(does: 'continues' | 'refuses'): string[] {
  const text = readFileSync(join(ROOT, 'docs/versions.md'), 'utf8');
  return keptVersions.filter(version => text.includes(`\n- Data of ${version}: ${does}`));
}

/** The arguments of a run over it, in its folder. */
export const ONCE = '--once --json --config changewire.json --data data';

/** A folder with a copy of what a version left: `data`, and its `changewire.json`; and the service that it watched, as it was then.
 *  `clock` is the service's. The service is stopped, and the folder removed, with the test. */
export async function openKept(version: string, clock: Clock = Date.now) {
  const folder = temporaryDirectory();
  const kept = join(KEPT, version);
  cpSync(join(kept, 'service.json'), join(folder, 'service.json'));
  cpSync(join(kept, 'changewire.sqlite'), join(folder, 'data/changewire.sqlite'));
  const service = await startSimulatedService({ file: join(folder, 'service.json'), clock });
  onTestFinished(() => service.stop());
  const configuration = readFileSync(join(kept, 'changewire.json'), 'utf8');
  const { origin } = new URL(service.baseUrl);
  writeFileSync(
    join(folder, 'changewire.json'),
    configuration.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, origin),
  );
  const credentials = { EU_CLIENT_ID: service.clientId, EU_CLIENT_SECRET: service.clientSecret };
  return { folder, service, credentials };
}
