import { expect, it } from 'vitest';
import type { Snapshots } from '../../../functions/store/store.ts';
import { waking } from '../../../local/loops/feed.ts';

it('the feed is woken by each commit and announcement that has events, also in a run with a deadline', async () => {
  const calls: string[] = [];
  const called = (name: string) => async () => {
    calls.push(name);
    return 'committed' as const;
  };
  const snapshots = { commit: called('commit'), announce: called('announce') } as unknown as Snapshots;
  const woken = waking(snapshots, () => void calls.push('woken')).until(0);
  const process = { workspace: 'w', processId: 'p' };
  expect(await woken.commit(process, { events: [{}] } as never)).toBe('committed');
  expect(await woken.commit(process, { events: [] } as never)).toBe('committed');
  expect(await woken.announce(process, {} as never)).toBe('committed');
  expect(calls).toEqual(['commit', 'woken', 'commit', 'announce', 'woken']);
});
