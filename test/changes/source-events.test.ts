import { describe, expect, it } from 'vitest';
import { recoveredEvent, skippedEvent, stalledEvent } from '../../functions/changes/source-events.ts';
import { asFieldChange } from '../../functions/model/property-change.ts';
import { checkEvents } from '../kit/check-event.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const origin = { workspace: 'eu', processId: 'p' };
const envelope = {
  specversion: '1.0',
  source: '/workspaces/eu/processes/p',
  time: '2026-11-21T12:00:00.000Z',
  datacontenttype: 'application/json',
  sequence: String(AT),
};

describe('an event about a process itself', () => {
  it('tells since when no pass was completed, and why', () => {
    const event = stalledEvent(origin, { version: AT, at: AT, since: AT - 300_000, reason: 'status 500' });
    expect(checkEvents([event])).toEqual([
      {
        ...envelope,
        id: `p..${AT}.0`,
        type: 'source.stalled',
        data: { process: { id: 'p' }, reason: 'status 500', since: '2026-11-21T11:55:00.000Z' },
      },
    ]);
  });

  it('tells from when until when that was so', () => {
    const event = recoveredEvent(origin, { version: AT, since: AT - 300_000, until: AT });
    expect(checkEvents([event])).toEqual([
      {
        ...envelope,
        id: `p..${AT}.0`,
        type: 'source.recovered',
        data: { process: { id: 'p' }, since: '2026-11-21T11:55:00.000Z', until: '2026-11-21T12:00:00.000Z' },
      },
    ]);
  });

  it('tells which project is left out, one of several', () => {
    const skipped = {
      version: AT,
      index: 2,
      at: AT,
      projectId: 'p1',
      since: AT - 1_000,
      reason: 'too large',
    };
    expect(checkEvents([skippedEvent(origin, skipped)])).toEqual([
      {
        ...envelope,
        id: `p..${AT}.2`,
        type: 'source.skipped',
        data: {
          process: { id: 'p' },
          project: { id: 'p1' },
          reason: 'too large',
          since: '2026-11-21T11:59:59.000Z',
        },
      },
    ]);
  });
});

describe('a changed property of a definition', () => {
  it.each([
    ['archived', 'Archived', 'boolean'],
    ['name', 'Name', 'string'],
    ['options', 'Choices', 'array'],
    ['type', 'Type', 'string'],
  ] as const)('%s is shown to people as the built-in field %s', (field, name, type) => {
    const change = { field, from: null, to: 'x' };
    expect(asFieldChange(change)).toEqual({ ...change, name, kind: 'builtin', type });
  });
});
