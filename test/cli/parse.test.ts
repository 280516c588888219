import { describe, expect, it } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { NOW, run, worldOf } from '../kit/cli/world.ts';

/** One that stops at the first question: what was asked is all that matters. */
const ASKED = new Error('asked');
const stop = () => {
  throw ASKED;
};
const every = new Proxy({}, { get: () => stop });

/** The one request of a command line. */
async function asks(line: string, secrets: readonly string[] = []) {
  const { asked, code, err } = await run(line.split(' '), { answers: every, secrets });
  expect(err).toMatch(/changewire: asked\.\n$/);
  expect([code, asked.length]).toEqual([1, 1]);
  return request.parse(asked[0]);
}

const ago = (ms: number) => new Date(NOW - ms).toISOString();
const HOUR = 3_600_000;

describe('a command line', () => {
  it.each([
    ['status', { operation: 'status', limit: 100 }],
    ['status --limit 5', { operation: 'status', limit: 5 }],
    [
      'events --process p --workspace w --project 1 --task 2 --type task.updated,task.created --field due --since 2h --until 1h --limit 7',
      {
        ...{ operation: 'events', process: 'p', workspace: 'w', project: '1', task: '2', field: 'due' },
        ...{ types: ['task.updated', 'task.created'], since: ago(2 * HOUR), until: ago(HOUR) },
        ...{ order: 'newest-first', limit: 7 },
      },
    ],
    [
      'events --type task.updated --type task.created --limit all',
      { operation: 'events', types: ['task.updated', 'task.created'], order: 'oldest-first', limit: 100 },
    ],
    ['events --actor u-1', { operation: 'events', actor: 'u-1', order: 'newest-first', limit: 20 }],
    ['events --since 3d', { operation: 'events', since: ago(72 * HOUR), order: 'newest-first', limit: 20 }],
    [
      'events --since 2026-11-20T09:00:00+01:00',
      { operation: 'events', since: '2026-11-20T08:00:00.000Z', order: 'newest-first', limit: 20 },
    ],
    ['trace p.1.2.0', { operation: 'trace', eventId: 'p.1.2.0' }],
    ['endpoints list', { operation: 'endpoints', limit: 100 }],
    ['endpoints show crm', { operation: 'endpoint', endpoint: 'crm' }],
    ['endpoints pause crm', { operation: 'pause-endpoint', endpoint: 'crm' }],
    ['endpoints resume crm', { operation: 'resume-endpoint', endpoint: 'crm' }],
    ['endpoints remove crm --dry-run', { operation: 'remove-endpoint', endpoint: 'crm', dryRun: true }],
    ['endpoints remove crm --yes', { operation: 'remove-endpoint', endpoint: 'crm' }],
    ['endpoints test crm', { operation: 'test-endpoint', endpoint: 'crm' }],
    ['endpoints rotate-secret crm', { operation: 'rotate-secret', endpoint: 'crm' }],
    [
      'endpoints rotate-secret crm --secret whsec_a',
      { operation: 'rotate-secret', endpoint: 'crm', secret: 'whsec_a' },
    ],
    ['endpoints rotate-secret crm --finish', { operation: 'finish-rotation', endpoint: 'crm' }],
    ['endpoints attempts crm --limit all', { operation: 'attempts', endpoint: 'crm', limit: 100 }],
    ['endpoints attempts crm --failed', { operation: 'attempts', endpoint: 'crm', failed: true, limit: 20 }],
    ['endpoints attempts crm --event e', { operation: 'attempts', endpoint: 'crm', eventId: 'e', limit: 20 }],
    ['endpoints dead-letters crm', { operation: 'dead-letters', endpoint: 'crm', limit: 20 }],
    ['endpoints preview crm e.1.2.0', { operation: 'preview', endpoint: 'crm', eventId: 'e.1.2.0' }],
    ['endpoints preview crm', { operation: 'preview', endpoint: 'crm' }],
    [
      'endpoints add crm --webhook https://a.example/x --secret whsec_a --secret whsec_b --filter events=task.updated --filter to:status=Done --per-second 3 --failures-only',
      {
        ...{ operation: 'add-endpoint', endpoint: 'crm', kind: 'webhook', url: 'https://a.example/x' },
        ...{ secrets: ['whsec_a', 'whsec_b'], perSecond: 3, keepSuccesses: false },
        filter: { events: ['task.updated'], values: [{ field: 'status', to: ['Done'] }] },
      },
    ],
    [
      'endpoints add crm --pull --without-record',
      { operation: 'add-endpoint', endpoint: 'crm', kind: 'pull', record: false },
    ],
    ['endpoints update crm --with-record', { operation: 'update-endpoint', endpoint: 'crm', record: null }],
    [
      'endpoints update crm --per-second 5 --every-event --all-attempts',
      { operation: 'update-endpoint', endpoint: 'crm', perSecond: 5, filter: null, keepSuccesses: true },
    ],
    [
      'endpoints update ops --unset digest --unset --time-zone --unset per-second --unset without-record --window 1h',
      {
        ...{ operation: 'update-endpoint', endpoint: 'ops', window: '1h' },
        ...{ digest: null, timeZone: null, perSecond: null, record: null },
      },
    ],
    ['resend p.1.2.0 --to crm', { operation: 'resend', eventId: 'p.1.2.0', to: 'crm' }],
    ['resend --dead --to crm --yes', { operation: 'resend-dead', to: 'crm' }],
    ['resend --dead --to crm --dry-run', { operation: 'resend-dead', to: 'crm', dryRun: true }],
    [
      'replay --to crm --since 2h --until 1h --type task.updated --process p,q --yes',
      {
        ...{ operation: 'replay', to: 'crm', since: ago(2 * HOUR), until: ago(HOUR) },
        ...{ types: ['task.updated'], processes: ['p', 'q'] },
      },
    ],
    ['replay --to crm --cancel', { operation: 'cancel-replay', to: 'crm' }],
    ['reload', { operation: 'reload' }],
    ['reload --dry-run', { operation: 'reload', dryRun: true }],
    ['pass p', { operation: 'pass', process: 'p', mode: 'changes' }],
    ['sweep p --workspace w', { operation: 'pass', process: 'p', workspace: 'w', mode: 'sweep' }],
    ['release p --yes', { operation: 'release', process: 'p' }],
    ['forget p --workspace w --yes', { operation: 'forget', process: 'p', workspace: 'w' }],
    [
      'erase 1001 --process p --workspace w --yes',
      { operation: 'erase', project: '1001', process: 'p', workspace: 'w' },
    ],
    ['forget p --dry-run', { operation: 'forget', process: 'p', dryRun: true }],
    [
      'logs deliver --since 2h --until 1h --all',
      {
        ...{ operation: 'logs', function: 'deliver', since: ago(2 * HOUR), until: ago(HOUR) },
        ...{ all: true, limit: 50 },
      },
    ],
    ['logs poll', { operation: 'logs', function: 'poll', since: ago(HOUR), limit: 50 }],
    ['failed-messages list rejected', { operation: 'failed-messages', queue: 'rejected' }],
    ['failed-messages clear rejected --yes', { operation: 'clear-failed-messages', queue: 'rejected' }],
    ['failed-messages retry --dry-run', { operation: 'retry-failed-messages', dryRun: true }],
    [
      'republish --since 2h --until 1h --process p --yes',
      { operation: 'republish', since: ago(2 * HOUR), until: ago(HOUR), processes: ['p'] },
    ],
    ['doctor p --workspace w', { operation: 'doctor', process: 'p', workspace: 'w' }],
    [
      'endpoints add ops --text https://discord.example/hush --preset discord',
      {
        ...{ operation: 'add-endpoint', endpoint: 'ops', kind: 'text', preset: 'discord' },
        url: 'https://discord.example/hush',
      },
    ],
    [
      'endpoints update ops --at-once --digest 08:00,UTC',
      { operation: 'update-endpoint', endpoint: 'ops', window: null, digest: '08:00,UTC', quiet: null },
    ],
    [
      'endpoints add team --slack-app https://slack.com/api/chat.postMessage --channel #launches --header Authorization:x --locale de',
      {
        ...{ operation: 'add-endpoint', endpoint: 'team', kind: 'slack-app', channel: '#launches' },
        url: 'https://slack.com/api/chat.postMessage',
        ...{ headers: { Authorization: 'x' }, locale: 'de' },
      },
    ],
    [
      'endpoints update ops --field message --title-header X-Title',
      { operation: 'update-endpoint', endpoint: 'ops', field: 'message', titleHeader: 'X-Title' },
    ],
    ['record p1 t1 --process launch', { operation: 'record', project: 'p1', task: 't1', process: 'launch' }],
    ['types launch --workspace eu', { operation: 'definitions', process: 'launch', workspace: 'eu' }],
    ['snapshot --to crm --yes', { operation: 'snapshot', to: 'crm' }],
    [
      'snapshot --to crm --process launch --project p1 --dry-run',
      { operation: 'snapshot', to: 'crm', process: 'launch', project: 'p1', dryRun: true },
    ],
    ['snapshot --to crm --cancel', { operation: 'cancel-snapshot', to: 'crm' }],
    [
      'endpoints update crm --header X-C:3 --remove-header X-B',
      { operation: 'update-endpoint', endpoint: 'crm', headers: { 'X-C': '3', 'X-B': null } },
    ],
    ['endpoints update crm --batch 50', { operation: 'update-endpoint', endpoint: 'crm', batch: 50 }],
    ['actions --endpoint crm', { operation: 'actions', endpoint: 'crm', limit: 20 }],
    ['actions', { operation: 'actions', limit: 20 }],
  ])('%s', async (line, expected) => {
    expect(await asks(line)).toEqual(expected);
  });

  it('takes URLs, then secrets, then headers from stdin where it says "-", whatever their order in the command', async () => {
    const line = 'endpoints add crm --header - --webhook - --secret - --secret - --header X-B:2';
    const typed = ['https://a.example/x', 'whsec_a', 'whsec_b', 'Authorization: Bearer a'];
    expect(await asks(line, typed)).toMatchObject({
      url: 'https://a.example/x',
      headers: { Authorization: 'Bearer a', 'X-B': '2' },
      secrets: ['whsec_a', 'whsec_b'],
    });
    const update = await asks('endpoints update crm --url -', ['https://b.example']);
    expect(update).toMatchObject({ url: 'https://b.example' });
    const rotation = await asks('endpoints rotate-secret crm --secret -', ['whsec_c']);
    expect(rotation).toMatchObject({ secret: 'whsec_c' });
  });

  it('says whom to ask, in any place', async () => {
    const places = async (line: string) => (await run(line.split(' '), { answers: every })).places;
    const place = { stack: 'Changewire', region: 'eu-central-1' };
    expect(await places('endpoints --stack Changewire list --region eu-central-1')).toEqual([place]);
    expect(await places('--data x status')).toEqual([{ data: 'x' }]);
  });
});

describe('a command line that is wrong is refused before anybody is asked', () => {
  const CONFIRMATION = /needs confirmation|not running in a terminal/;
  const RATE = /Expected a whole number from 1 to 100 \(requests per second\)/;
  const REFUSED: Record<string, RegExp> = {
    stats: /unknown command 'stats'\n\(Did you mean status\?\)/,
    'endpoints lst': /unknown command 'lst'\n\(Did you mean list\?\)/,
    'events --proces p': /unknown option '--proces'\n\(Did you mean --process\?\)/,
    'events --since soon': /--since <time>.*Expected a time such as 2026-11-21T09:00Z, a date, or an age/s,
    'events --since 2026-02-30': /--since <time>.*Expected a time such as/s,
    'replay --to crm --since 5': /Expected a time such as/,
    'replay --to crm --since 05.11.2026': /Expected a time such as/,
    'events --limit 0': /Expected a number from 1, or "all"/,
    'events --type task.update': /Valid event types: .*did you mean "task.updated"/s,
    'events extra': /too many arguments/,
    'events --follow --until 1h': /--follow cannot be combined with --until/,
    trace: /missing required argument 'event-id'/,
    'endpoints pause': /missing required argument 'name'/,
    'endpoints add crm': /use --webhook, --slack.* or --\w+\./,
    'endpoints add crm --slack https://a.example --teams https://b.example': /use --webhook, --slack/,
    'endpoints update crm --per-second 0': RATE,
    'endpoints update crm --per-second 0.5': RATE,
    'endpoints update crm --per-second 101': RATE,
    'endpoints update crm --per-second abc': RATE,
    'snapshot --to crm --project p1': /--project requires --process ID/,
    'snapshot --to crm --cancel --process p': /--cancel can only be combined with --to/,
    'endpoints update crm --batch 101': /--batch .*Expected a whole number from 2 to 100/,
    'endpoints add ops --text https://a.example --preset irc': /Allowed choices are google-chat, mattermost/,
    'help nope': /^changewire: Unknown command "nope"\.\n$/,
    'help stats': /^changewire: Unknown command "stats"\. Did you mean status\?\n$/,
    'help endpoints ad': /^changewire: Unknown command "endpoints ad"\. Did you mean add\?\n$/,
    'endpoints add crm --webhook https://a.example --filter evnts=x':
      /--filter: unknown key "evnts".* Did you mean events\?/,
    'endpoints update crm': /Specify what to change/,
    'endpoints update crm --header hush': /^(?!.*hush).*--header takes "NAME: VALUE"/,
    'endpoints update crm --unset locales': /Expected one of: batch, .*filter.*\. Did you mean locale\?/,
    'endpoints update crm --unset channel': /--unset <option>.*Expected one of/,
    'endpoints update crm --unset window --window 1h': /--unset window cannot be combined with --window/,
    'endpoints rotate-secret crm --finish --secret whsec_a': /--finish cannot be combined with --secret/,
    resend: /required option '--to <name>' not specified/,
    'resend --to crm': /requires an event id, or --dead/,
    'resend x --dead --to crm': /requires an event id, or --dead/,
    'resend x --to crm --yes': /require --dead/,
    'replay --to crm': /replay requires --since TIME/,
    'replay --to crm --cancel --since 2h': /--cancel can only be combined with --to/,
    'completion csh': /Allowed choices are bash, zsh, fish/,
    'endpoints remove crm': /not running in a terminal\. Use --yes/,
    'snapshot --to crm': CONFIRMATION,
    'replay --to crm --since 1h': CONFIRMATION,
    'resend --dead --to crm': CONFIRMATION,
    'release p': CONFIRMATION,
    'failed-messages clear rejected': CONFIRMATION,
    'doctor p --watch': /needs its settings: SERVICE_\*/,
    'doctor p --project 1': /--project requires --watch/,
    'logs anything': /Allowed choices are poll, publish/,
    'failed-messages clear all': /Allowed choices are rejected/,
    'republish --since 2h': /required option '--until/,
  };
  it.each(Object.entries(REFUSED))('%s', async (line, message) => {
    const { code, out, err, asked } = await run(line.split(' '));
    expect([code, out, asked]).toEqual([2, '', []]);
    expect(err).toMatch(message);
    expect(err).toMatch(/^changewire: /);
  });

  it('its error can write nothing but text to the terminal', async () => {
    const { err } = await run(['\u001B[31mred\u0007\n'], { columns: 80 });
    expect(err).toMatch(/\\u001b\[31mred\\u0007/);
    expect(err).not.toMatch(/(?!\n)\p{Cc}/u);
  });
});

describe('the exit code', () => {
  it('is 1 for what can not be done, and 2 for what was asked wrongly, with the reason on stderr', async () => {
    for (const [error, code, err] of [
      [new Refused('It is gone\u001B[2J.'), 1, 'changewire: It is gone\\u001b[2J.\n'],
      [new Refused('limit: a number', { isUsage: true }), 2, 'changewire: limit: a number\n'],
      [new TypeError('a defect'), 1, 'changewire: a defect.\n'],
    ] as const) {
      const answers = { status: () => Promise.reject(error) };
      expect(await run(['status'], { answers })).toMatchObject({ code, out: '', err });
    }
  });

  it('is 0 for the help of a command, which help and --help print alike', async () => {
    for (const name of ['status', 'endpoints', 'endpoints add']) {
      const { code, out, err } = await run(['help', ...name.split(' ')]);
      expect([code, err]).toEqual([0, '']);
      expect(out).toBe((await run([...name.split(' '), '--help'])).out);
      expect(out).toContain(`changewire ${name}`);
    }
  });

  it('is 0 for help, which names every command', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    const { world } = worldOf({});
    for (const command of createProgram(world).commands)
      if (command.name() !== 'complete') expect(out).toContain(`  ${command.name()} `);
    expect(await run([])).toMatchObject({ code: 0, out });
  });
});

describe('what asks first', () => {
  const release = ({ dryRun = false }) => ({
    ...{ projects: 40, first: ['7', '8'], since: ago(HOUR), dryRun, workspace: 'eu', process: 'p' },
  });

  it('says on a terminal what it would do, and does it after a yes', async () => {
    const { code, out, err, asked } = await run(['release', 'p'], { answers: { release }, says: true });
    expect(code).toBe(0);
    expect(asked).toEqual([
      { operation: 'release', process: 'p', dryRun: true },
      { operation: 'release', process: 'p' },
    ]);
    expect(err).toMatch(
      /^Would approve the deletion of 40 projects of eu\/p .* Missing: 7, 8, and 38 more .*\nContinue\?/,
    );
    expect(out).toMatch(/^Approved the deletion of 40 projects of eu\/p /);
  });

  it.each([
    ['--data', 'my data', "npx changewire sweep p --data 'my data'"],
    ['--stack', 'Changewire', 'npx changewire sweep p --stack Changewire'],
  ])('names the next command for the same run or stack: %s', async (option, value, next) => {
    const { out } = await run(['release', 'p', '--yes', option, value], { answers: { release } });
    expect(out).toContain(`To sweep now: ${next}\n`);
  });

  it('does nothing after anything else', async () => {
    const { code, out, err, asked } = await run(['release', 'p'], { answers: { release }, says: false });
    expect([code, out, asked.length]).toEqual([1, '', 1]);
    expect(err).toMatch(/Cancelled\.\n$/);
  });

  it('looks into every queue where none is named', async () => {
    const empty = ({ queue }: { queue?: string }) => ({ queue, messages: 0, first: [] });
    const answers = { 'failed-messages': empty };
    const { code, out, asked } = await run(['failed-messages', 'list'], { answers });
    const queues = ['rejected', 'unpublished', 'unstarted', 'unsettled'];
    expect(asked.map(one => 'queue' in one && one.queue)).toEqual(queues);
    expect([code, out.trim().split('\n').length]).toEqual([0, 4]);
  });

  it('forgets until nothing is left, and says how far it is', async () => {
    const pages = [1_000, 1_000, 5].map(atLeast => ({
      ...{ workspace: 'eu', process: 'p', dryRun: false },
      projects: { atLeast, isExact: atLeast < 1_000 },
    }));
    const answers = { forget: () => pages.shift() };
    const { code, out, err, asked } = await run(['forget', 'p', '--yes'], { answers });
    expect([code, asked.length]).toEqual([0, 3]);
    expect(out).toBe(
      'Deleted the data of 2005 projects of eu/p. If you add the process again, it starts with a new baseline.\n',
    );
    expect(err).toBe('1000 projects deleted so far\n2000 projects deleted so far\n');
  });

  it('resends a thousand dead letters at a time, and says that there are more', async () => {
    const deliveries = { atLeast: 1_000, isExact: false };
    const answers = { 'resend-dead': () => ({ endpoint: 'crm', deliveries, dryRun: false }) };
    const { out } = await run(['resend', '--dead', '--to', 'crm', '--yes'], { answers });
    expect(out).toBe('Resending 1000 dead letters to crm. There are more: run this command again.\n');
  });

  it('erases slice by slice, and says what it could not recall', async () => {
    const slice = { workspace: 'eu', process: 'p', project: '7', isInService: true, dryRun: false };
    const erased = { events: 3, deliveries: 0, deadLetters: 0, answers: 0 };
    const slices = [
      { ...slice, erased, delivered: [{ endpoint: 'crm', deliveries: 2 }], cursor: 'next' },
      {
        ...{ ...slice, erased: { events: 1, deliveries: 2, deadLetters: 5, answers: 4 } },
        delivered: [
          { endpoint: 'crm', deliveries: 1 },
          { endpoint: 'dwh', deliveries: 9 },
        ],
      },
    ];
    const answers = { erase: () => slices.shift() };
    const { code, out, err, asked } = await run(['erase', '7', '--yes'], { answers });
    expect([code, asked.map(one => 'cursor' in one && one.cursor)]).toEqual([0, [false, 'next']]);
    expect(out).toContain(
      'Erased the contents of 4 events of project 7 in eu/p, 2 deliveries in backlogs, 5 dead letters and 4 answers of receivers.\nCannot be recalled:\n- Delivered, as far as attempts are kept: 3 to crm, 9 to dwh.',
    );
    const rest = '- The current snapshot, and contents of later events: delete the project in the service';
    expect(out).toContain(rest);
    expect(out).toContain('until they are cleared; on one machine, until you delete rejected.jsonl.');
    expect(err).toMatch(/^Erased the contents of 3 events .* More follows\.\n$/);
  });

  it('publishes again slice by slice, and says how far it is', async () => {
    const slices = [
      { events: 100, records: 60, process: 'p', readTo: ago(HOUR), cursor: 'next', dryRun: false },
      { events: 20, records: 10, dryRun: false },
    ];
    const line = 'republish --since 2h --until 1h --yes'.split(' ');
    const { code, out, err, asked } = await run(line, { answers: { republish: () => slices.shift() } });
    expect([code, asked.map(one => 'cursor' in one && one.cursor)]).toEqual([0, [false, 'next']]);
    expect(out).toBe('Republished 120 events of 70 change records to every subscriber.\n');
    expect(err).toMatch(/^100 events so far, up to .* of p\n$/);
  });
});
