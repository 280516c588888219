import { expect, it, onTestFinished } from 'vitest';
import { startTopic } from '../../../local/cli/topic.ts';
import { openDataDirectory } from '../../../local/data/data-directory.ts';
import { openStore } from '../../../local/data/store.ts';
import { Metrics } from '../../../local/operate/metrics.ts';
import { wantedSubscriptions } from '../../../local/settings/wanted-subscriptions.ts';
import type { Output } from '../../../local/terminal/output.ts';
import { eventually, receiver } from '../../kit/local/sns.ts';
import { delivery } from '../../kit/store/delivery.ts';
import { temporaryDirectory } from '../../kit/temporary.ts';

const FAR = Date.now() + 3_600_000;

it('a subscription gets at once what an earlier run left, however late it is due', async () => {
  const path = temporaryDirectory();
  const endpoint = await receiver();
  const wanted = wantedSubscriptions({ subscribe: [endpoint.url], raw: true }, undefined);
  const say = () => undefined;
  const log = { info: say, warn: say, error: say };
  const output: Output = { isTerminal: false, event: () => undefined, info: say, warn: say, log };
  const start = async () => {
    const closers = new AsyncDisposableStack();
    onTestFinished(() => closers.disposeAsync());
    const directory = openDataDirectory(path, say);
    closers.defer(directory.release);
    const store = openStore({ closers, directory });
    const run = { closers, directory, output, metrics: new Metrics('0.0.0', Date.now), ...store };
    await startTopic(run, { subscriptions: wanted, confirmWithin: 5000 });
    return { closers, ...store };
  };
  const first = await start();
  const [made] = wanted;
  const name = `sns:${made?.name}`;
  await first.closers.disposeAsync();
  const between = new AsyncDisposableStack();
  const directory = openDataDirectory(path, say);
  const { deliveries } = openStore({ closers: between, directory });
  await deliveries.add(['e1', 'e2'].map(id => delivery(id, { endpoint: name, at: 1000 })));
  for (const { place } of await deliveries.due(name, FAR, 9))
    await deliveries.reschedule(name, place, { at: 2000, due: FAR });
  await between.disposeAsync();
  directory.release();

  await start();
  await eventually(() => expect(endpoint.notifications()).toHaveLength(2));
});
