import { describe, expect, it } from 'vitest';
import { answers as schemas } from '../../functions/operations/protocol/answers.ts';
import type { Operation } from '../../functions/operations/protocol/requests.ts';
import { columns } from '../../local/terminal/text.ts';
import { NOW, run, type Setting } from '../kit/cli/world.ts';

const ago = (seconds: number) => new Date(NOW - seconds * 1000).toISOString();
const count = (atLeast: number, isExact = true) => ({ atLeast, isExact });
const HOSTILE = 'x\u001B[2J\u0007\u202E\n\u0000 "quoted" — 漢字 👩‍👩‍👧';

const RECHECK = {
  ...{ project: '1001', cause: 'unreadable', reason: 'its tasks answered 500' },
  ...{ since: ago(7200), foundAt: ago(3600), isSkipped: true },
};
const WELL = {
  ...{ workspace: 'eu', process: 'launch', state: 'healthy' },
  ...{ completedAt: ago(2), sweptAt: ago(7200), projects: 1204, interval: 60_000 },
  ...{ underWay: [], rechecks: { count: 0, skipped: 0, unread: 0, first: [] } },
};
const HELD = {
  ...WELL,
  ...{ process: 'onboarding', state: 'on-hold', underWay: [{ mode: 'sweep', progress: '1201' }] },
  hold: { since: ago(3600), projects: 40, isReleased: false },
  rechecks: {
    ...{ count: 12, skipped: 1, unread: 11 },
    first: [
      RECHECK,
      { ...RECHECK, project: '1002', isSkipped: false },
      {
        ...{ ...RECHECK, project: '1003', isSkipped: false },
        ...{ cause: 'not-listed', reason: 'the last sweep missed it' },
      },
    ],
  },
};
const typical = {
  ...{ kind: 'webhook', isConfigured: false, overrides: false, perSecond: 10, keepSuccesses: true },
  ...{ state: 'healthy', waiting: count(0), dead: count(0) },
};
const CRM = {
  ...{ name: 'crm', ...typical, origin: 'https://crm.example.com', state: 'failing', since: ago(600) },
  ...{ nextTryAt: ago(-30), waiting: count(12), oldestWaiting: ago(660), dead: count(1000, false) },
  lastFailure: {
    ...{ at: ago(30), failure: 'answered 500', status: 500 },
    answer: 'upstream connect error or disconnect/reset before headers',
  },
};
const TEAM = {
  ...{ ...typical, name: 'team-channel', kind: 'slack', isConfigured: true, perSecond: 1 },
  ...{ nextTryAt: ago(-900), nextMessageAt: ago(-900) },
  replay: { since: ago(7200), until: ago(0), startedAt: ago(10), added: 40 },
};
/** Which the configuration has no more. */
const REMOVED = {
  ...{ ...HELD, process: 'former', state: 'removed', underWay: [] },
  rechecks: { count: 3, skipped: 1, unread: 3, first: [{ ...RECHECK, project: '7' }] },
};
const REPLAYED = { ...TEAM, name: 'replayed', replay: { ...TEAM.replay, percent: 75 } };
const STATUS = {
  at: ago(0),
  deployment: 'run',
  isRunning: true,
  processes: [REMOVED, HELD, WELL],
  endpoints: [CRM, TEAM, REPLAYED],
};
const EVENT = {
  ...{ specversion: '1.0', id: 'launch.1001.1795262491734.0', type: 'task.updated', time: ago(180) },
  ...{ source: '/workspaces/eu/processes/launch', subject: 'projects/1001/tasks/7' },
  ...{ datacontenttype: 'application/json', sequence: '1795262491734' },
  data: {
    process: { id: 'launch' },
    project: { id: '1001', name: 'Acme GmbH' },
    task: { id: '7', name: 'Build the report' },
    changes: [
      {
        ...{ field: 'dueDate', name: 'Due date', kind: 'builtin', type: 'date' },
        ...{ from: '2026-11-26', to: '2026-12-10' },
      },
    ],
    observed: { after: ago(240), before: ago(180) },
    actors: [{ id: 'u-1', name: 'Ann Lee' }],
  },
};
const ATTEMPT = {
  ...{ endpoint: 'crm', at: ago(30), events: [{ id: EVENT.id, type: EVENT.type }], status: 500 },
  ...{ failure: 'answered 500', origin: 'https://crm.example.com', took: 12.4, answer: 'no database' },
};
const TRACE = {
  ...{ committedAt: ago(178), event: EVENT, published: 'yes', notWanted: 2 },
  leftOut: [
    { endpoint: 'billing', by: 'processes' },
    { endpoint: 'leads-team', by: 'fields' },
  ],
  endpoints: [
    {
      ...{ endpoint: 'crm', isWanted: true, state: 'waiting', nextTryAt: ago(-30) },
      ...{ reason: 'answered 500', attempts: [ATTEMPT] },
    },
    { endpoint: 'team-channel', isWanted: true, state: 'delivered', attempts: [] },
  ],
};

const EVENTS = { at: ago(0), searched: 1, events: [{ committedAt: ago(178), event: EVENT }] };

/** What is shown of an answer that its schema allows. */
async function shown(line: string, answer: object, setting: Setting = {}) {
  const operation = (await run(line.split(' '))).asked[0]?.operation as Operation;
  schemas[operation].parse(answer);
  const told = await run(line.split(' '), { ...setting, answers: { [operation]: answer } });
  expect([told.code, told.err]).toEqual([0, '']);
  return told.out;
}

/** A console at an address with a token that is not shown. */
const PAGE = { url: 'http://127.0.0.1:4321', token: 'hush' };

describe('on a terminal of 80 columns', () => {
  const terminal = { columns: 80, env: { NO_COLOR: '1' } };

  it('the status fits, and says what needs somebody', async () => {
    expect(await shown('status', STATUS, { ...terminal, page: PAGE })).toMatchSnapshot();
  });

  it('the status warns of a low disk, and of no other', async () => {
    const disk = { free: 8.5e8, size: 2e10, data: 7e6 };
    const low = await shown('status', { ...STATUS, disk: { ...disk, isLow: true } }, terminal);
    expect(low).toMatch(/^This machine\n\nThe disk has 850 MB free of 20 GB\. Free space on it, /);
    const plain = await shown('status', STATUS, terminal);
    expect(await shown('status', { ...STATUS, disk: { ...disk, isLow: false } }, terminal)).toBe(plain);
  });

  it('the way of an event tells each attempt', async () => {
    expect(timeless(await shown('trace x', TRACE, terminal))).toMatchSnapshot();
  });

  it('endpoints have their addresses in the list, and attempts that went to several', async () => {
    const other = { ...ATTEMPT, origin: 'https://old.example.com' };
    expect(await shown('endpoints list', { endpoints: [CRM, TEAM] })).toMatch(/^crm .* crm\.example\.com$/m);
    const show = await shown('endpoints show crm', CRM, terminal);
    expect(show).toContain('URL at https://crm.example.com');
    const slim = { ...CRM, headers: ['Authorization', 'X-B'], record: false };
    const slimShown = await shown('endpoints show crm', slim, terminal);
    expect(slimShown).toContain('\nwith the headers Authorization, X-B\n');
    expect(slimShown).toContain('max. 10 per second; without records\n');
    expect(show).not.toMatch(/with the headers|without records/);
    const digest = { ...TEAM, digest: '08:00 Europe/Berlin', locale: 'de-DE', timeZone: 'Europe/Berlin' };
    const digestShown = await shown('endpoints show team', digest, terminal);
    expect(digestShown).toContain('; locale de-DE; time zone Europe/Berlin; a digest at 08:00 Europe/Berlin');
    const attempts = await shown('endpoints attempts crm', { attempts: [ATTEMPT, ATTEMPT] }, terminal);
    expect(attempts).toMatch(/\nSent to https:\/\/crm\.example\.com\.$/m);
    const several = await shown('endpoints attempts crm', { attempts: [ATTEMPT, other] });
    expect(several).toMatch(/ADDRESS/);
    expect(several).toMatch(/https:\/\/old\.example\.com/);
  });

  it('an endpoint that gathers changes is added, and shown, with the time of its first message', async () => {
    const add = ['endpoints', 'add', 'team', '--slack', 'https://hooks.slack.com/services/x'];
    for (const [more, expected] of [
      [['--window', '15m'], 'Added team. Delivery starts within seconds.\n'],
      [['--digest', '13:00 UTC'], 'Added team. The first message with changes is sent in 60 min.\n'],
      [['--quiet', '11:00-12:05 UTC'], 'Added team. The first message with changes is sent in 5 min.\n'],
    ] as const) {
      const answers = { 'add-endpoint': { endpoint: 'team' } };
      expect((await run([...add, ...more], { ...terminal, answers })).out).toBe(expected);
    }
    const preview = {
      ...{ endpoint: 'team', kind: 'slack', event: { id: EVENT.id, type: EVENT.type }, isSample: false },
      ...{ committedAt: ago(40), nextMessageAt: ago(-3600), text: 'Acme', body: {} },
    };
    const previewed = await shown('endpoints preview team', preview);
    expect(previewed).toContain('A change that comes now is sent at 2026-11-21T13:00:00Z.\n');
  });

  it('attempts, dead letters and actions are tables', async () => {
    expect(await shown('endpoints attempts crm', { attempts: [ATTEMPT] }, terminal)).toMatchSnapshot();
    const letter = {
      ...{ endpoint: 'crm', eventId: EVENT.id, record: 'Acme › Kickoff \u001b[2J' },
      ...{ publishedAt: ago(300_000), diedAt: ago(40_000), reason: 'answered 500', attempts: 31 },
    };
    expect(await shown('endpoints dead-letters crm', { deadLetters: [letter] }, terminal)).toMatchSnapshot();
    const preview = {
      ...{ endpoint: 'crm', kind: 'webhook', event: { id: EVENT.id, type: EVENT.type } },
      ...{ committedAt: ago(40_000), isSample: false, leftOut: 'its type is task.updated' },
      ...{ headers: { 'webhook-signature': '(signature)' }, body: { id: 'a', text: '\u001b[2J' } },
    };
    expect(await shown('endpoints preview crm', preview, terminal)).toMatchSnapshot();
    const message = { text: 'Acme\n• Task\u001b · Due: a → b', notification: 'Task "A"', isSample: true };
    const sample = { ...preview, kind: 'slack', committedAt: undefined, leftOut: undefined, ...message };
    expect(await shown('endpoints preview crm', sample, terminal)).toMatchSnapshot();
    const actions = [
      {
        ...{ at: ago(100), who: 'arn:aws:sts::123456789012:assumed-role/ops/ann', isProven: true },
        ...{ operation: 'replay', endpoint: 'crm', details: 'since 2026-11-21T10:00:00Z' },
      },
      {
        ...{ at: ago(5000), who: 'bob', isProven: false },
        ...{ operation: 'release', workspace: 'eu', process: 'launch' },
      },
    ];
    expect(await shown('actions --endpoint crm', { actions }, terminal)).toMatchSnapshot();
  });

  it('what the doctor found ends with the settings, ready to paste', async () => {
    const findings = [
      {
        ...{ topic: 'updatedAfter', verdict: 'fine', found: 'It is inclusive.' },
        ...{ asked: ['GET /processes/launch/projects?updatedAfter=…'], came: '1 project' },
      },
      {
        ...{ topic: 'update timestamps', verdict: 'setting', found: 'touched changes with every edit.' },
        ...{ asked: ['GET /projects/1001'], came: 'touched', remedy: 'Ignore it.' },
      },
    ];
    const settings = { workspace: { ignoreFields: ['touched'] }, process: {} };
    const answer = { at: ago(0), workspace: 'eu', process: 'launch', findings, settings };
    const { out } = await run(['doctor', 'launch'], { ...terminal, answers: { doctor: answer } });
    expect(out).toMatchSnapshot();
  });

  it('no line of a table is longer, whatever stands in it', async () => {
    const endpoints = [
      { ...CRM, lastFailure: { at: ago(1), failure: HOSTILE.repeat(20) } },
      { ...TEAM, reason: 'y'.repeat(500) },
    ];
    for (const width of [60, 80, 120, 200]) {
      const out = await shown('status', { ...STATUS, endpoints }, { ...terminal, columns: width });
      for (const line of out.split('\n')) expect(columns(line)).toBeLessThanOrEqual(width);
    }
  });

  it('is coloured, unless somebody says otherwise', async () => {
    const plain = await shown('status', STATUS, terminal);
    const coloured = await shown('status', STATUS, { columns: 80 });
    expect(coloured).toContain('\u001B[31mfailing');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of them
    expect(coloured.replaceAll(/\u001B\[\d+m/g, '')).toBe(plain);
    expect(await shown('status --no-color', STATUS, { columns: 80 })).toBe(plain);
  });
});

describe('into a pipe', () => {
  it('nothing is cut, coloured, or told by how long ago it was', async () => {
    const lines = (await shown('status', STATUS)).split('\n').map(line => line.replaceAll(/ {2,}/g, '  '));
    const reason = 'answered 500: upstream connect error or disconnect/reset before headers';
    expect(lines).toEqual(
      expect.arrayContaining([
        'eu/onboarding  on hold  1204  2026-11-21T11:59:58Z  2026-11-21T10:00:00Z  1 min  sweep, at 1201',
        '  eu/onboarding: on hold since 2026-11-21T11:00:00Z: 40 projects disappeared at once. If they were really deleted: npx changewire release onboarding',
        'eu/onboarding  1001  2026-11-21T10:00:00Z  yes  its tasks answered 500',
        'crm  webhook  failing since 2026-11-21T11:50:00Z  12, oldest 2026-11-21T11:49:00Z  1000+  2026-11-21T12:00:30Z  crm.example.com',
        `  crm: ${reason} (2026-11-21T11:59:30Z)`,
        '  replayed: next message with changes 2026-11-21T12:15:00Z',
        '  replayed: replay from 2026-11-21T10:00:00Z to 2026-11-21T12:00:00Z: 75% of 40 events sent',
      ]),
    );
  });

  it('events are told as a run tells them, with their ids', async () => {
    expect(timeless(await shown('events', EVENTS))).toMatchSnapshot();
  });
});

describe('with --json', () => {
  it('each line is an object', async () => {
    const lines = async (line: string, answer: object) =>
      (await shown(`${line} --json`, answer, { page: PAGE }))
        .trimEnd()
        .split('\n')
        .map(text => JSON.parse(text));
    expect(await lines('status', STATUS)).toEqual([
      { run: { at: ago(0), deployment: 'run', isRunning: true, console: PAGE.url } },
      ...[REMOVED, HELD, WELL].map(process => ({ process })),
      ...[CRM, TEAM, REPLAYED].map(endpoint => ({ endpoint })),
    ]);
    expect(await lines('events', EVENTS)).toEqual([EVENT]);
    expect(await lines('trace x', TRACE)).toEqual([TRACE]);
    expect(await lines('endpoints list', { endpoints: [CRM, TEAM] })).toEqual([CRM, TEAM]);
    const attempts = [ATTEMPT, ATTEMPT];
    expect(await lines('endpoints attempts crm', { attempts })).toEqual(attempts);
  });

  it('nothing that is empty is a line', async () => {
    expect(await shown('endpoints list --json', { endpoints: [] })).toBe('');
    expect(await shown('events --json', { at: ago(0), searched: 1, events: [] })).toBe('');
  });
});

describe('a hostile record', () => {
  it('writes nothing but text to the terminal, wherever it stands', async () => {
    const hostile = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(hostile);
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(
          Object.entries(value).map(([key, one]) => [key, FIXED.has(key) ? one : hostile(one)]),
        );
      return typeof value === 'string' && !Number.isFinite(Date.parse(value)) ? `${value}${HOSTILE}` : value;
    };
    const action = { at: ago(1), who: 'x', isProven: true, operation: 'replay', details: 'y' };
    const cases: [string, object][] = [
      ['status', STATUS],
      ['trace x', TRACE],
      ['events', EVENTS],
      ['endpoints attempts crm', { attempts: [ATTEMPT] }],
      ['endpoints show crm', CRM],
      ['endpoints test crm', { ...ATTEMPT, failure: undefined }],
      ['actions --endpoint crm', { actions: [action] }],
    ];
    for (const [line, answer] of cases)
      for (const columns of [80, undefined]) {
        const setting = { ...(columns === undefined ? {} : { columns }), env: { NO_COLOR: '1' } };
        const out = await shown(line, hostile(answer) as object, setting);
        const escaped = 'x\\u001b[2J\\u0007\\u202e\\n\\u0000';
        expect(out).toContain(columns === undefined ? escaped : escaped.slice(0, 6));
        expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }
  });
});

/** What has one of some values, or is no text of people. */
const FIXED = new Set(['state', 'by', 'kind', 'cause', 'type', 'published', 'operation', 'mode']);

/** The time of day is that of the machine's zone. */
function timeless(out: string): string {
  return out.replace(/^\d\d:\d\d:\d\d/, 'HH:MM:SS');
}
