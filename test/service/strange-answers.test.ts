import { describe, expect, test } from 'vitest';
import { ServiceUnreachableError } from '../../functions/service/errors.ts';
import type { Service } from '../../functions/service/service.ts';
import { all, failureOf, ids, rig, START } from '../kit/service/connect.ts';
import {
  type Behaviour,
  html,
  json,
  page,
  SERVICE_DATE,
  SERVICE_TIME,
  sequence,
} from '../kit/service/server.ts';

const ENDPOINTS: Record<string, (service: Service) => Promise<unknown>> = {
  '/processes/p/projects?first=200': service => all(service.projects('p')),
  '/processes/p/projects/q/tasks?first=500': service => all(service.tasks('p', 'q')),
  '/processes/p/auditlog?first=100': service => all(service.auditLog('p')),
  '/users?first=1000': service => all(service.users()),
  '/user/u': service => service.user('u'),
  '/processes/p/coverpage': service => service.coverpage('p'),
  '/processes/p/task-custom-fields?includeArchived=true': service => service.taskCustomFields('p'),
};
const asked = Object.entries(ENDPOINTS);

/** Bytes as they are, with 200. */
const bytes =
  (body: string | Buffer, headers: Record<string, string> = {}): Behaviour =>
  response => {
    response.writeHead(200, { 'content-type': 'application/json', date: SERVICE_DATE, ...headers });
    response.end(body);
  };
const listed = (records: string) => `{"projects":[${records}],"paging":{"hasNextPage":false}}`;
const projects = (records: string) => bytes(listed(records));
const whole = (text: string) => listed(`{"id":"1","name":"${text}"}`);

describe.each(asked)('GET %s', (path, ask) => {
  test.each<[string, Behaviour, string]>([
    ['a page of HTML', html, 'expected JSON, found 37 characters that begin "<html>'],
    ['nothing', bytes(''), 'expected JSON, found an empty body'],
    ['null', bytes('null'), 'found null'],
    ['a number', bytes('12'), 'found number'],
    ['a text', bytes('"<html>"'), 'found string'],
    ['an error as a success', bytes('{"error":"no"}'), 'the keys error (string)'],
  ])('that answers 200 with %s is an error with request, place and finding', async (_title, api, found) => {
    const { service } = await rig(api);
    expect(await failureOf(ask(service))).toMatchObject({
      ...{ name: 'ServiceAnswerError', request: `GET ${path}`, path: expect.stringMatching(/^\$/) },
      message: expect.stringContaining(found),
    });
  });
});

test.each<[string, Buffer, Record<string, string>, string]>([
  ['is cut within a character', Buffer.from(whole('ü')).subarray(0, 32), {}, 'bytes that are no UTF-8'],
  ['is Latin-1', Buffer.from(whole('Zürich'), 'latin1'), {}, 'bytes that are no UTF-8'],
])('an answer that is no JSON because it %s is never guessed at', async (_title, body, headers, found) => {
  const { service } = await rig(bytes(body, headers), { maxBodyBytes: 65_536 });
  const error = await failureOf(all(service.projects('p')));
  expect(error).toMatchObject({ path: '$', expected: 'JSON', found: expect.stringContaining(found) });
});

test.each<[string, Behaviour]>([
  ['begins with a byte order mark', bytes(`\uFEFF${whole('ü')}`)],
  ['calls itself a text', bytes(whole('ü'), { 'content-type': 'text/html; charset=iso-8859-1' })],
  [
    'comes behind an early hint',
    response => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeProcessing();
      bytes(whole('ü'))(response, undefined as never);
    },
  ],
])('an answer that is right all the same though it %s', async (_title, api) => {
  const { service } = await rig(api);
  expect(await all(service.projects('p'))).toEqual([{ id: '1', fields: { id: '1', name: 'ü' } }]);
});

describe('a status that nobody expects', () => {
  const good = page([{ id: '1' }]);

  test.each([204, 205])('%i is no answer, and tried again', async code => {
    const { service, waits } = await rig(sequence(response => response.writeHead(code).end(), good));
    expect(await ids(service.projects('p'))).toEqual(['1']);
    expect(waits).toHaveLength(1);
  });

  test('101 is a failed connection, and tried again', async () => {
    const upgrade: Behaviour = response =>
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
    const { service } = await rig(sequence(upgrade, good));
    expect(await ids(service.projects('p'))).toEqual(['1']);
    const never = await rig(upgrade, { maxAttempts: 2 });
    expect(await failureOf(ids(never.service.projects('p')))).toBeInstanceOf(ServiceUnreachableError);
  });

  test.each([
    [304, 'check what caches on the way'],
    [302, 'redirects are not followed; check the base address'],
    [403, 'access is denied; check what the credentials may read'],
    [429, 'the rate limit is exceeded'],
  ])('%i tells where to look', async (code, remedy) => {
    const { service } = await rig(json('', code));
    expect((await failureOf(ids(service.projects('p')))).message).toContain(remedy);
  });
});

test('numbers that JavaScript takes for infinite stay as they were written: null would be told as a change', async () => {
  const written = '{"id":"1","a":1e400,"b":-1E+999,"c":-0,"d":1.0,"e":9007199254740993,"f":2e3,"g":1e-999}';
  const { service } = await rig(projects(written));
  const [record] = await all(service.projects('p'));
  const kept = { a: '1e400', b: '-1E+999', c: -0, d: 1, e: '9007199254740993', f: 2000, g: 0 };
  expect(record?.fields).toEqual({ id: '1', ...kept });
});

test('numbers of identifiers never make two records one', async () => {
  const { service } = await rig(projects('{"id":1e400},{"id":2e400},{"id":-0},{"id":1.0}'));
  expect(await ids(service.projects('p'))).toEqual(['1e400', '2e400', '0', '1']);
});

describe('a record with a flaw', () => {
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;

  test.each<[string, object, string]>([
    ['an identifier of half a surrogate pair', { id: 'x\ud800' }, 'expected an identifier in Unicode'],
    ['an identifier too long for any key', { id: 'x'.repeat(901) }, 'at most 900 characters'],
    ['one that is too long when it is encoded', { id: 'é'.repeat(151) }, 'found one of 151 characters'],
    [
      'an identifier of a dot',
      { id: '.' },
      'expected an identifier that the path of a request can carry, found "."',
    ],
    [
      '201 levels of nesting',
      { id: 'x', v: deep(200) },
      'expected at most 200 levels of nesting, found more',
    ],
  ])('has its error beside it, and the others of its page have none: %s', async (_title, record, message) => {
    const { service } = await rig(page([{ id: 'a' }, record, { id: 'b', v: deep(150) }]));
    const records = await all(service.projects('p'));
    expect(records.map(({ flaw }) => flaw === undefined)).toEqual([true, false, true]);
    expect(records[1]?.flaw?.message).toContain('GET /processes/p/projects?first=200: at $.projects[1]');
    expect(records[1]?.flaw?.message).toContain(message);
  });

  test('in its identifier, which is too long, is known by a short one, always the same and no other’s', async () => {
    const long = (end: string) => 'né'.repeat(500_000) + end;
    const ids = [long('a'), long('b'), `\ud800${long('a')}`, 'x'.repeat(900)];
    const { service } = await rig(page(ids.map(id => ({ id }))));
    const read = async () => (await all(service.projects('p'))).map(({ id }) => id);
    const known = await read();
    expect(known[0]).toMatch(/^(né){30}… [\w-]{16}$/);
    expect(new Set(known).size).toBe(4);
    expect(known[3]).toBe('x'.repeat(900));
    expect(await read()).toEqual(known);
  });

  test('is no task with an identifier of dots, which stands in no path; a user with one is', async () => {
    const { service } = await rig(page([{ id: '..' }, { id: '.' }]));
    expect((await all(service.tasks('p', 'q'))).map(({ flaw }) => flaw)).toEqual([undefined, undefined]);
    expect((await all(service.users())).map(({ flaw }) => flaw?.found)).toEqual(['".."', '"."']);
  });

  test('may be 10,000 levels deep', async () => {
    const record = `{"id":"x","v":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    const { service } = await rig(projects(record));
    expect((await all(service.projects('p')))[0]?.flaw?.expected).toBe('at most 200 levels of nesting');
  });

  test('is the later of two that share an identifier and differ, not of two that are the same', async () => {
    const records = [{ id: 1, a: 1 }, { id: '2' }, { id: '1', a: 2 }, { id: 2 }, { id: '2' }, { id: '2' }];
    const { service } = await rig(page(records));
    const flaws = (await all(service.projects('p'))).map(({ flaw }) => flaw?.found);
    const twin = (index: number) => `that of $.projects[${index}], another record`;
    expect(flaws).toEqual([undefined, undefined, twin(0), twin(1), twin(3), twin(4)]);
    const same = await rig(projects('{"id":"1","a":1},{"a":1,"id":"1"}'));
    expect((await all(same.service.projects('p'))).map(({ flaw }) => flaw)).toEqual([undefined, undefined]);
  });
});

const log = (...entries: string[]) => bytes(`{"entries":[${entries.join()}],"paging":{"hasNextPage":false}}`);
const deep = (levels: number, inside = '1') => `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`;

test('an audit entry of more than 200 levels of nesting is kept without what is deeper, which is warned of once; other entries stay as they are', async () => {
  const entries = ['{"id":1}', deep(200), deep(201, '[]'), `{"__proto__":1,"b":[${deep(10_000)}]}`];
  const { service, notices } = await rig(log(...entries));
  const read = await all(service.auditLog('p'));
  const cut = '(nested too deep)';
  expect(read.map(entry => JSON.stringify(entry))).toEqual([
    ...entries.slice(0, 2),
    deep(200, deep(0, `"${cut}"`)),
    `{"__proto__":1,"b":[${deep(198, `"${cut}"`)}]}`,
  ]);
  await all(service.auditLog('p'));
  expect(notices.filter(({ code }) => code === 'audit-entry-too-deep')).toMatchObject([
    { message: 'an audit entry has more than 200 levels of nesting; deeper values are left out' },
  ]);
});

const dated = (date: string): Behaviour => bytes(whole('x'), { date });

const NONE = ['no-date-header'];

test.each([
  ['can not be right counts as none', 'Thu, 01 Jan 1970 00:00:00 GMT', START, 'local', NONE],
  ['can not be right counts as none', 'Fri, 31 Dec 2999 23:59:59 GMT', START, 'local', NONE],
  ['can not be right counts as none', 'Sat, 01 Jan 275761', START, 'local', NONE],
  ['can not be right counts as none', 'soon', START, 'local', NONE],
  ['is empty counts as none', '', START, 'local', NONE],
  ['is hours off is right: our clock may be the wrong one', SERVICE_DATE, SERVICE_TIME, 'service', []],
])('a Date header that %s: %s', async (_, date, readAt, clock, codes) => {
  const { service, notices } = await rig(dated(date));
  const [first] = await Array.fromAsync(service.projects('p'));
  expect(first).toMatchObject({ readAt, clock });
  expect(notices.map(({ code }) => code)).toEqual(codes);
});
