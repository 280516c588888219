import { expect, it } from 'vitest';
import { workspaceSettings } from '../../functions/config/read.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';

it('every process of every workspace is scheduled, by its own rhythm or each minute and every six hours', () => {
  const service = {
    baseUrl: 'https://api.example',
    authUrl: 'https://auth.example',
    audience: 'a',
    credentials: 'c',
  };
  const changes = { fastest: 10_000, slowest: 300_000 };
  const workspaces = [
    { ...service, name: 'eu', processes: [{ id: 'a', changes, sweep: 60_000 }, { id: 'b' }] },
    { ...service, name: 'us', processes: [{ id: 'a' }] },
  ].map(each => workspaceSettings(each));
  const usual = { changes: { fastest: 60_000, slowest: 60_000 }, sweep: 21_600_000 };
  expect(scheduledIn(workspaces)).toEqual([
    { workspace: 'eu', processId: 'a', changes, sweep: 60_000 },
    { workspace: 'eu', processId: 'b', ...usual },
    { workspace: 'us', processId: 'a', ...usual },
  ]);
});
