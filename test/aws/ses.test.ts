import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { sendBySes } from '../../functions/aws/ses.ts';
import { mailSender } from '../../functions/delivery/email/send-mail.ts';
import { outcomeOf } from '../../functions/delivery/http/outcome.ts';
import { createPoster } from '../../functions/delivery/http/post.ts';
import { change, commitOf, mailOf } from '../kit/delivery/chat-batches.ts';
import { listenInTest } from '../kit/listen-in-test.ts';

const mail = mailOf(commitOf([change('t', 'Task', [])], { name: 'Übergabe' }));

/** Sends a mail by the API of SES, as this server answers for it. */
async function send(status: number, answer: object, headers = {}) {
  const requests: { path: string; body: unknown; signed: string }[] = [];
  const server = await listenInTest(
    createServer(async (request, response) => {
      const {
        url: path = '',
        headers: { authorization: signed = '' },
      } = request;
      requests.push({ path, signed, body: await json(request) });
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(answer));
    }),
  );
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', server.url);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  const options = {
    allowLoopback: false,
    resolve: () => Promise.reject(new Error()),
    timeout: 5_000,
    clock: () => 42,
  };
  const poster = createPoster({ ...options, sendMail: mailSender({ ...options, sendBySes }) });
  const got = await poster.post('ses:', { body: JSON.stringify(mail), headers: {} });
  await poster.close();
  vi.unstubAllEnvs();
  return { requests, answer: got, outcome: outcomeOf(got, { url: 'ses:' }) };
}

describe('a mail by SES', () => {
  it('is one signed request with both parts', async () => {
    const { requests, answer, outcome } = await send(200, { MessageId: 'id-1' });
    expect([answer, outcome]).toMatchObject([{ status: 200, body: 'id-1', at: 42 }, { kind: 'delivered' }]);
    const text = (Data: string) => ({ Data, Charset: 'UTF-8' });
    expect(requests).toEqual([
      {
        path: '/v2/email/outbound-emails',
        signed: expect.stringContaining('/eu-west-1/ses/aws4_request'),
        body: {
          FromEmailAddress: 'Changewire <changes@example.com>',
          Destination: { ToAddresses: ['ann@example.com', 'team@example.com'] },
          Content: {
            Simple: {
              Subject: text(mail.subject),
              Body: { Text: text(mail.text), Html: text(mail.html) },
              Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }],
            },
          },
        },
      },
    ]);
  });

  it.each<[string, number, string, string]>([
    ['MessageRejected', 400, 'failed', 'SES refused the mail: verify the identity of "from"'],
    ['NotFoundException', 404, 'failed', 'verify the identity'],
    ['AccessDeniedException', 403, 'failed', 'add its identity to "emailIdentities"'],
    ['SendingPausedException', 400, 'failed', 'SES has paused the account'],
    ['BadRequestException', 400, 'failed', 'SES refused the mail'],
    ['TooManyRequestsException', 429, 'slowed', 'SES asks to try again later'],
    ['LimitExceededException', 400, 'slowed', 'SES asks to try again later'],
    ['InternalFailure', 500, 'slowed', 'SES asks to try again later'],
  ])('%s: the reason names the remedy, and no address', async (name, status, kind, reason) => {
    const message = 'Email address is not verified: ann@example.com';
    const { requests, answer, outcome } = await send(status, { message }, { 'x-amzn-errortype': name });
    expect([requests.length, outcome]).toMatchObject([
      1,
      { kind, reason: expect.stringContaining(`${status}: `) },
    ]);
    expect(outcome).toMatchObject({
      reason: expect.stringContaining(reason),
      quote: expect.stringContaining(name),
    });
    expect(JSON.stringify([answer, outcome])).not.toContain('ann@');
  });
});
