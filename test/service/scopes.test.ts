import { describe, expect, test } from 'vitest';
import { DeadlineError, type Scope, ServiceError } from '../../functions/service/errors.ts';
import type { ConnectOptions } from '../../functions/service/options.ts';
import type { Service } from '../../functions/service/service.ts';
import { all, rig, START } from '../kit/service/connect.ts';
import {
  type Behaviour,
  destroy,
  hang,
  hangInBody,
  html,
  json,
  page,
  status,
} from '../kit/service/server.ts';

/** Every kind of request, and what it is of. */
const REQUESTS: [string, Scope, (service: Service) => Promise<unknown>][] = [
  ['a project’s tasks', 'project', service => all(service.tasks('p', 'q'))],
  ['the projects', 'process', service => all(service.projects('p'))],
  ['those updated since', 'process', service => all(service.projects('p', { updatedAfter: START }))],
  ['the audit log', 'process', service => all(service.auditLog('p'))],
  ['the coverpage', 'process', service => service.coverpage('p')],
  ['the custom fields', 'process', service => service.taskCustomFields('p')],
  ['the users', 'everybody', service => all(service.users())],
  ['a user', 'everybody', service => service.user('u')],
];

interface Trouble {
  readonly api: Behaviour;
  readonly token?: Behaviour;
  readonly options?: Partial<ConnectOptions>;
  readonly deadline?: number;
}

/** Answers all but task lists. */
const hanging: Behaviour = (...asked) => (asked[1].path.includes('/tasks') ? hang : page([]))(...asked);

/** What goes wrong with what was asked for, and so is of no more than that. */
const OF_THE_REQUEST: [string, Trouble][] = [
  ...[304, 400, 403, 404, 408, 409, 413, 500, 502, 503].map((code): [string, Trouble] => [
    `status ${code}`,
    { api: status(code) },
  ]),
  ['JSON of another kind', { api: json('7') }],
  ['a page of something else', { api: html }],
  ['too large an answer', { api: json({ text: 'x'.repeat(999) }), options: { maxBodyBytes: 500 } }],
];

/** What would go wrong with anything else too. */
const OF_EVERYBODY: [string, Trouble][] = [
  ['status 401', { api: status(401) }],
  ['status 429', { api: status(429) }],
  ['a connection that fails', { api: destroy }],
  ['no answer in time', { api: hang, options: { requestTimeout: 30 } }],
  ['no whole answer in time', { api: hangInBody(), options: { requestTimeout: 30 } }],
  ['a deadline that has passed', { api: hang, deadline: START }],
  ['a deadline that passes', { api: hang, deadline: START + 30 }],
  ['a token that is refused', { api: hang, token: status(403) }],
  ['a token that is none', { api: hang, token: json({}) }],
  ['no token in time', { api: hang, token: hang, deadline: START + 30 }],
  [
    'no credentials',
    { api: hang, options: { credentials: async () => ({ clientId: '', clientSecret: '' }) } },
  ],
];

describe('an error says of what it is', () => {
  const met = async (trouble: Trouble, ask: (service: Service) => Promise<unknown>) => {
    const { api, token, options, deadline = START + 86_400_000 } = trouble;
    const { connection } = await rig(api, { maxAttempts: 1, ...options, ...(token && { token }) });
    const error = await ask(connection.open({ deadline })).catch((reason: unknown) => reason);
    if (!(error instanceof ServiceError)) throw error;
    return error.scope;
  };

  const [[, , tasks], [refused, refusal]] = [REQUESTS[0], OF_THE_REQUEST[1]] as [
    (typeof REQUESTS)[number],
    (typeof OF_THE_REQUEST)[number],
  ];
  test.each(OF_THE_REQUEST)('%s to a project’s tasks: that project', async (_, trouble) => {
    expect(await met(trouble, tasks)).toBe('project');
  });
  test.each(REQUESTS)(`${refused} to %s: %s`, async (_, scope, ask) => {
    expect(await met(refusal, ask)).toBe(scope);
  });

  test.each(
    OF_EVERYBODY.flatMap(([what, trouble]) =>
      REQUESTS.slice(0, 2).map(([asked, , ask]) => ({ what, asked, ask, trouble })),
    ),
  )('$what, asked for $asked: everybody', async ({ trouble, ask }) => {
    expect(await met(trouble, ask)).toBe('everybody');
  });

  test.each([OF_EVERYBODY[2], OF_EVERYBODY[3], OF_EVERYBODY[4]] as [string, Trouble][])(
    '%s to a project’s tasks, while a small request is answered: that project',
    async (_, { api }) => {
      const answer: Behaviour = (...asked) => (asked[1].path.endsWith('/tasks') ? api : page([]))(...asked);
      expect(await met({ api: answer, options: { requestTimeout: 500 } }, tasks)).toBe('project');
    },
  );

  test('no answer to three task lists at once, of which one is sent at a time: those projects', async () => {
    const { service } = await rig(hanging, { concurrency: 1, maxAttempts: 1, requestTimeout: 200 });
    const asked = await Promise.allSettled(['a', 'b', 'c'].map(id => all(service.tasks('p', id))));
    const whose = {
      scope: 'project',
      message: expect.stringMatching(/200 ms; other requests are answered:/),
    };
    expect(asked).toMatchObject(Array(3).fill({ reason: whose }));
  });

  test('no answer to a task list, nor to the small request, while others are answered: that project', async () => {
    const slow: Behaviour = (...asked) => {
      const isSmall = asked[1].url.endsWith('first=1');
      if (isSmall) void all(service.projects('p'));
      (isSmall ? hang : hanging)(...asked);
    };
    const { service } = await rig(slow, { maxAttempts: 1, requestTimeout: 200 });
    await expect(all(service.tasks('p', 'q'))).rejects.toMatchObject({ scope: 'project' });
  });

  test('no answer to a task list, and no time to ask whether others get one: the deadline', async () => {
    const slow: Behaviour = (...asked) => {
      time.now += 86_400_000;
      return hang(...asked);
    };
    const { service, time } = await rig(slow, { maxAttempts: 1, requestTimeout: 200 });
    await expect(all(service.tasks('p', 'q'))).rejects.toBeInstanceOf(DeadlineError);
  });

  test('no answer to a task list that got none before: it is asked for once, and others do not wait', async () => {
    const { service, infos } = await rig(hanging, { concurrency: 4, requestTimeout: 500, maxAttempts: 2 });
    await all(service.tasks('p', 'q')).catch(() => undefined);
    infos.length = 0;
    const again = [1, 2, 3].map(id => all(service.tasks('p', `${id}`, { isAgain: true })));
    await Promise.allSettled([...again, all(service.projects('p'))]);
    const [first, ...more] = infos.map(({ path }) => /tasks|projects\?/.exec(path)?.[0]);
    expect([first, more.filter(path => path === 'tasks').length]).toEqual(['projects?', 3]);
  });

  test('of a closed connection: everybody', async () => {
    const { connection, service } = await rig(hang);
    await connection.close();
    await expect(all(service.tasks('p', 'q'))).rejects.toMatchObject({ scope: 'everybody' });
  });
});

describe('a flaw of one record', () => {
  const twins = [
    { id: 'a', name: 1 },
    { id: 'a', name: 2 },
  ];
  const flawed: [string, object[]][] = [
    ['an identifier that no request can carry', [{ id: '\ud800' }]],
    ['an identifier that is too long', [{ id: 'x'.repeat(1000) }]],
    ['an identifier that is another one’s', twins],
    [
      'contents that are nested too deeply',
      [{ id: 'a', deep: JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`) }],
    ],
  ];

  test.each(flawed)('is of that project, in a listing and in a task list: %s', async (_title, records) => {
    const projects = await rig(page(records));
    expect((await all(projects.service.projects('p'))).at(-1)?.flaw?.scope).toBe('project');
    const tasks = await rig(page(records, undefined, 'tasks'));
    expect((await all(tasks.service.tasks('p', 'q'))).at(-1)?.flaw?.scope).toBe('project');
  });

  test('of a user is of nobody’s project', async () => {
    const { service } = await rig(page(twins, undefined, 'users'));
    expect((await all(service.users())).at(-1)?.flaw?.scope).toBe('everybody');
  });

  test.each<[string, object]>([
    ['no identifier', {}],
    ['no record', [] as object],
  ])('which leaves the list without names is of the list: %s', async (_title, record) => {
    const projects = await rig(page([record]));
    await expect(all(projects.service.projects('p'))).rejects.toMatchObject({ scope: 'process' });
    const tasks = await rig(page([record], undefined, 'tasks'));
    await expect(all(tasks.service.tasks('p', 'q'))).rejects.toMatchObject({ scope: 'project' });
  });
});

test('an error that nobody gave a scope is everybody’s, so that it fails more than one project', () => {
  expect(new ServiceError('GET /', 'no').scope).toBe('everybody');
});
