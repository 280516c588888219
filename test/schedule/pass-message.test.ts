import { describe, expect, it } from 'vitest';
import { workspaceSettings } from '../../functions/config/read.ts';
import { askedPass, passIn, passMessage } from '../../functions/schedule/pass-message.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';

const MESSAGE = { workspace: 'eu', processes: ['p1', 'p2'], mode: 'changes', expiresAt: 1_760_000_000_000 };

describe('the message of a pass', () => {
  it.each([{}, { mode: 'sweep', dueAt: 1.5 }, { isAsked: true }, { processes: Array(25).fill('p') }])(
    'is read as it was written: %o',
    part => {
      const written = { ...MESSAGE, ...part };
      expect(passMessage.parse(JSON.parse(JSON.stringify(written)))).toEqual(written);
    },
  );

  it.each([
    ...[{ mode: '' }, { isAsked: false }, { workspace: '' }, { processId: '' }],
    ...[{ processes: [] }, { processes: [''] }, { processes: Array(26).fill('p') }],
  ])('is refused with %o', part => {
    expect(passMessage.safeParse({ ...MESSAGE, ...part }).success).toBe(false);
  });

  it('is read without the fields that a later release added', () => {
    expect(passMessage.parse({ ...MESSAGE, further: 1 })).toEqual(MESSAGE);
  });

  it('of version 0.1.0 names one process', () => {
    const { processes: _, ...old } = MESSAGE;
    expect(passMessage.parse({ ...old, processId: 'p1' })).toEqual({ ...MESSAGE, processes: ['p1'] });
    expect(passMessage.safeParse({ ...old, processId: '' }).success).toBe(false);
    for (const other of [null, 'p1', 1]) expect(passMessage.safeParse(other).success).toBe(false);
  });

  it('may wait for longer than a function runs, where an operator wants the pass', () => {
    const longestRun = 15 * 60_000;
    const asked = askedPass({ workspace: 'eu', processId: 'p' }, 'sweep', 5);
    expect(asked).toMatchObject({ workspace: 'eu', processes: ['p'], mode: 'sweep', isAsked: true });
    expect(asked.expiresAt).toBeGreaterThan(5 + longestRun);
  });

  it('is in the group of its workspace', () => {
    const pass = askedPass({ workspace: 'eu', processId: 'p' }, 'changes', 5);
    expect(passIn(pass)).toEqual({ body: JSON.stringify(pass), group: 'eu' });
    expect(passIn(pass, 1.5)).toEqual({ body: JSON.stringify(pass), group: 'eu', delay: 1.5 });
  });
});

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
