import { expect, it } from 'vitest';
import { keptSecret } from '../../local/data/secret-files.ts';
import { signingKey } from '../../local/sns/control.ts';
import { SubscriptionMemory } from '../../local/sns/subscription-memory.ts';
import { moduleUrl } from '../kit/temporary.ts';
import { onDisk } from './disk/on-disk.ts';

/** As many as any of these makes, renames or removes. */
const MAX_NAMES = 3;

/** The first `names` things that were done to the directory are there, and of the files only what was synced. */
function worst(names: number) {
  let isDirectory = true;
  const part = (all: number) => {
    const kept = isDirectory ? Math.min(all, names) : 0;
    isDirectory = false;
    return kept;
  };
  return { part, torn: () => 0 };
}

const SUBSCRIPTION = `{ url: 'http://127.0.0.1:9/', name: 'n', raw: true, filter: undefined },
  { subscriptionArn: 'arn:aws:sns:us-east-1:000000000000:changewire:1', token: 't' }`;

it.each([
  [
    'the signing key of the topic',
    'local/sns/control.ts',
    (directory: string) => `await it.signingKey(${directory});`,
    (directory: string) => signingKey(directory),
  ],
  [
    'the confirmed subscriptions',
    'local/sns/subscription-memory.ts',
    (directory: string) => `new it.SubscriptionMemory(${directory}).remember(${SUBSCRIPTION});`,
    async (directory: string) => new SubscriptionMemory(directory),
  ],
  [
    'the signing secret of a webhook',
    'local/data/secret-files.ts',
    (directory: string) => `it.keptSecret(${directory} + '/crm.secret');`,
    async (directory: string) => keptSecret(`${directory}/crm.secret`),
  ],
])(
  'what a start keeps beside the store, after a power cut: %s can be read, or was never there',
  async (_, module, write, read) => {
    const reading: Promise<unknown>[] = [];
    for (let names = 0; names <= MAX_NAMES; names++) {
      let place = '';
      onDisk(({ disk, directory, run }) => {
        place = directory;
        run(
          `const it = await import(${JSON.stringify(moduleUrl(module))}); ${write(JSON.stringify(directory))}`,
        );
        disk.cut(worst(names));
      })();
      if (place !== '') reading.push(read(place));
    }
    await expect(Promise.all(reading)).resolves.toBeDefined();
  },
);
