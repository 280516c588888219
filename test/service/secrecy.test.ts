import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createSecrets } from '../../functions/service/context.ts';
import { all, failureOf, rig, SECRET } from '../kit/service/connect.ts';
import {
  type Behaviour,
  broken,
  destroy,
  hang,
  hangInBody,
  html,
  json,
  status,
} from '../kit/service/server.ts';

const TOKEN = 'token-that-nobody-may-see';

/** Sends back all that it was told, as a careless error page would. */
const echo =
  (code: number, dress: (told: string) => unknown): Behaviour =>
  (response, request) => {
    const told = [request.headers.authorization, request.body, SECRET, encodeURIComponent(SECRET)].join(' ');
    json(dress(told), code, { 'x-echo': encodeURIComponent(told), location: `/?t=${TOKEN}` })(
      response,
      request,
    );
  };

const text = (told: string) => `<h1>${told}</h1>`;
const asKey = () => ({ [TOKEN]: [], [SECRET]: [], paging: TOKEN });
const asOnlyList = () => ({ [TOKEN]: [{ [SECRET]: TOKEN }], paging: { hasNextPage: false } });
const asTruth = (told: string) => ({ access_token: told, error_description: told });

const MISDEEDS: Record<string, Behaviour> = {
  destroy,
  hang,
  'a hanging body': hangInBody(),
  'a broken body': broken,
  'a page': html,
  'an echoed page': echo(200, text),
  'a page of which the token is cut off': response => response.end(`${'a'.repeat(45)} ${TOKEN} ${SECRET}`),
  'echoed keys': echo(200, asKey),
  'an echoed list': echo(200, asOnlyList),
  'an echoed answer': echo(200, asTruth),
  'a text': json('"x"'),
  garbage: response => response.socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: x${TOKEN}\r\n\r\n`),
  ...Object.fromEntries(
    [301, 400, 401, 403, 404, 413, 429, 500, 503].map(code => [`${code}`, echo(code, text)]),
  ),
};

const good = json({ access_token: TOKEN, expires_in: 3600 });
const FEW = { requestTimeout: 50, maxAttempts: 2 };

function expectSilence(...things: unknown[]): void {
  const seen = things.map(thing => {
    const error = thing instanceof Error ? `${thing.message} ${thing.stack} ${String(thing.cause)}` : '';
    return `${error} ${JSON.stringify(thing)} ${inspect(thing, { depth: 20, showHidden: true })}`;
  });
  for (const secret of [TOKEN, SECRET, encodeURIComponent(SECRET), SECRET.slice(0, 12), TOKEN.slice(0, 12)])
    expect(seen.join('\n')).not.toContain(secret);
}

describe('no secret and no token is in any error, notice or request report (design.md §11, invariant 10)', () => {
  test.each(Object.keys(MISDEEDS))('when the service answers with %s', async name => {
    const options = { ...FEW, token: good, pageSize: { tasks: 2 } };
    const { service, notices, infos } = await rig(MISDEEDS[name] ?? hang, options);
    const errors = [
      await failureOf(all(service.tasks('p', 'q'))),
      await failureOf(service.user('u')),
      await failureOf(all(service.projects('p'))),
    ];
    expectSilence(...errors, notices, infos);
  });

  test.each(Object.keys(MISDEEDS))('when the authentication answers with %s', async name => {
    const { service, notices, infos } = await rig(status(500), { ...FEW, token: MISDEEDS[name] ?? hang });
    expectSilence(await failureOf(service.user('u')), notices, infos);
  });

  test('when the connection closes in the midst', async () => {
    const arrived = Promise.withResolvers<void>();
    const { connection, service, infos } = await rig(() => arrived.resolve(), { token: good });
    const pending = failureOf(service.user('u'));
    await arrived.promise;
    await connection.close();
    expectSilence(await pending, infos);
  });
});

test('secrets are hidden as they stand and encoded, the latest sixteen forms of them', () => {
  const secrets = createSecrets();
  secrets.add('a+b');
  expect(secrets.hide('x a+b y a%2Bb')).toBe('x [secret] y [secret]');
  for (let index = 0; index < 16; index += 1) secrets.add(`token-${index}-`);
  expect(secrets.hide('a+b token-0- token-15-')).toBe('a+b [secret] [secret]');
});
