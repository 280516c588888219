import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Refusal, type SentEvent, verify, verifyAll } from '../../receiver/index.ts';
import { exampleEvent, post } from '../kit/examples/receiver.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { eventually, startSns } from '../kit/local/sns.ts';
import { awsRegion, TOPIC_ARN } from '../kit/receiver/aws-region.ts';
import { keptRequest, refusalOf, secretOf, signedWebhook, webRequest } from '../kit/receiver/requests.ts';

const SECRET = secretOf('one');
const [CREATED, UPDATED] = [exampleEvent('task.created'), exampleEvent('task.updated')];

/** The shortest server that a receiver may be, and what it got. */
async function server(secret: Parameters<typeof verify>[1]) {
  const got: (SentEvent | undefined)[] = [];
  const { url } = await listenInTest(
    createServer(async (request, response) => {
      try {
        got.push(await verify(request, secret));
        response.writeHead(204).end();
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        response.writeHead(error.status).end(error.message);
      }
    }),
  );
  return { url, got };
}

it('verify, in a Node server, takes signed webhooks, and refuses others', async () => {
  const { url, got } = await server(SECRET);
  const { body, headers } = signedWebhook(UPDATED);
  expect(await post(url, body, headers)).toEqual({ status: 204, text: '' });
  expect(await post(url, ` ${body}`, headers)).toEqual({
    status: 401,
    text: 'No matching signature found.',
  });
  expect(await post(url, body)).toEqual({ status: 401, text: 'Missing required headers.' });
  expect(got).toEqual([UPDATED]);
});

it('verify, in a Node server, takes both at one address', async () => {
  const { sns, publish } = await startSns();
  const { url, got } = await server({ secrets: SECRET, topicArn: sns.topicArn, allowLoopback: true });
  await (await sns.subscribe({ url })).confirmed;
  await publish([JSON.stringify(CREATED)]);
  await eventually(() => expect(got).toHaveLength(2));
  const { body, headers } = signedWebhook(UPDATED);
  expect(await post(url, body, headers)).toMatchObject({ status: 204 });
  expect(got).toEqual([undefined, CREATED, UPDATED]);
});

describe('verify', () => {
  it('takes what a test of the endpoint sends', async () => {
    const test = exampleEvent('changewire.test' as 'task.updated');
    expect(await verify(keptRequest(signedWebhook(test)), SECRET)).toEqual(test);
  });

  it('refuses a batch, which verifyAll reads', async () => {
    const { body, headers } = signedWebhook([CREATED, UPDATED] as never);
    const batch = { body, headers: { ...headers, 'content-type': 'application/cloudevents-batch+json' } };
    expect(await refusalOf(verify(webRequest(batch), SECRET))).toEqual({
      status: 415,
      message: 'This is a batch of events: the receiver must call verifyAll.',
    });
    expect(await verifyAll(webRequest(batch), SECRET)).toEqual([CREATED, UPDATED]);
  });

  it('refuses messages of SNS where only webhooks are expected', async () => {
    const { message } = await awsRegion();
    const request = keptRequest(await message({ Message: JSON.stringify(UPDATED) }));
    expect(await refusalOf(verify(request, SECRET))).toEqual({
      status: 403,
      message: 'SNS messages are not accepted here: no topicArn is set.',
    });
  });

  it('refuses webhooks, signed or not, where only a topic is expected', async () => {
    const request = keptRequest(signedWebhook(UPDATED));
    expect(await refusalOf(verify(request, { topicArn: TOPIC_ARN }))).toMatchObject({ status: 403 });
  });

  it('tells the receiver when nobody is expected, before it reads anything', async () => {
    const request = webRequest(signedWebhook(UPDATED));
    await expect(verify(request, process.env.NOT_SET as string)).rejects.toThrow(TypeError);
    expect(request.bodyUsed).toBe(false);
  });

  it('may be called with the requests of Node, of the web and of frameworks', () => {
    type Parsed = IncomingMessage & { body: unknown };
    type Kept = { headers: IncomingMessage['headers']; rawBody?: Buffer | string; body: object };
    expectTypeOf<IncomingMessage | Request | Parsed | Kept>().toExtend<Parameters<typeof verify>[0]>();
  });
});
