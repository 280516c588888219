import { Duration } from 'aws-cdk-lib';
import type { EndpointSettings } from '../../../functions/model/endpoint.ts';
import type { WindowSettings } from '../../../functions/model/windows.ts';
import { openSqliteStore } from '../../../functions/store/sqlite/store.ts';
import { QUEUES } from '../../../local/data/store.ts';
import { type Manner, simulate } from './many-endpoints.ts';
import { MINUTE } from './setting.ts';

interface Options {
  /** Whether it is served as on one machine, and not as on AWS. */
  readonly isLocal: boolean;
  readonly minutes: number;
  readonly manner?: Manner;
  readonly settings?: WindowSettings;
}

/** What a Slack channel gets in some minutes of virtual time. `begin` sets up what is sent, and when.
 *  @returns its posts, and how many deliveries are left in the end */
export async function postsToChat(
  { isLocal, minutes, manner = 200, settings = {} }: Options,
  begin: (send: (body: string) => void, after: (ms: number, action: () => void) => void) => void,
) {
  const store = isLocal ? openSqliteStore(':memory:') : undefined;
  const chat = {
    batch: QUEUES.chat.batch,
    window: Duration.seconds(0),
    concurrency: 1,
    timeout: Duration.minutes(6),
  };
  let posts: readonly { readonly body: string; readonly at: number }[] = [];
  let left = 0;
  await simulate(
    [{ manner, settings: { kind: 'slack', ...settings } as EndpointSettings }],
    minutes * MINUTE,
    (world, after) => {
      posts = world.posts;
      begin(body => void world.send(0, body), after);
      after(minutes * MINUTE - 1, () => {
        void world.deliveries.counts('e0').then(({ pending }) => {
          left = pending;
        });
      });
    },
    store ? { store, chat } : {},
  );
  store?.close();
  return { posts, left };
}
