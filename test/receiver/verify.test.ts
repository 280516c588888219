import { execFileSync } from 'node:child_process';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Refusal, type SentEvent, verify } from '../../receiver/index.ts';
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

/** The same for a host of the web's kind. */
async function handler(request: Request): Promise<Response> {
  try {
    const event = await verify(request, SECRET);
    return Response.json(event?.type);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return new Response(error.message, { status: error.status });
  }
}

describe('verify, in a Node server', () => {
  it('takes signed webhooks, and refuses others', async () => {
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

  it('confirms the subscription to a topic, and takes what is published', async () => {
    const { sns, publish } = await startSns();
    const { url, got } = await server({ topicArn: sns.topicArn, allowLoopback: true });
    await (await sns.subscribe({ url })).confirmed;
    await publish([JSON.stringify(UPDATED)]);
    await eventually(() => expect(got).toHaveLength(2));
    expect(got).toEqual([undefined, UPDATED]);
  });

  it('takes both at one address', async () => {
    const { sns, publish } = await startSns();
    const { url, got } = await server({ secrets: SECRET, topicArn: sns.topicArn, allowLoopback: true });
    await (await sns.subscribe({ url })).confirmed;
    await publish([JSON.stringify(CREATED)]);
    await eventually(() => expect(got).toHaveLength(2));
    const { body, headers } = signedWebhook(UPDATED);
    expect(await post(url, body, headers)).toMatchObject({ status: 204 });
    expect(got).toEqual([undefined, CREATED, UPDATED]);
  });
});

describe("verify, with the web's Request", () => {
  it('takes signed webhooks, and refuses others', async () => {
    const { body, headers } = signedWebhook(UPDATED);
    const taken = await handler(webRequest({ body, headers }));
    expect([taken.status, await taken.json()]).toEqual([200, 'task.updated']);
    const refused = await handler(webRequest({ body: `${body} `, headers }));
    expect([refused.status, await refused.text()]).toEqual([401, 'No matching signature found.']);
  });

  it('takes the messages of a topic', async () => {
    const { message } = await awsRegion();
    const request = webRequest(await message({ Message: JSON.stringify(UPDATED) }));
    expect(await verify(request, { topicArn: TOPIC_ARN })).toEqual(UPDATED);
  });
});

describe('verify', () => {
  it('takes what a test of the endpoint sends', async () => {
    const test = exampleEvent('changewire.test' as 'task.updated');
    expect(await verify(keptRequest(signedWebhook(test)), SECRET)).toEqual(test);
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

  it('refuses by an error that tells itself from others by its name, too', async () => {
    const refused = await verify(webRequest({ body: '', headers: {} }), SECRET).catch(error => error);
    expect(String(refused)).toBe('Refusal: Missing required headers.');
  });

  it('loads a library when it is needed first', async () => {
    const { body, headers } = signedWebhook(UPDATED);
    const program = `
      import { createRequire } from 'node:module';
      import { verify } from ${JSON.stringify(join(import.meta.dirname, '../../receiver/index.ts'))};
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).map(path => /.*node_modules.([\\w-]+)/.exec(path)?.[1]);
      const before = loaded();
      await verify(${JSON.stringify({ headers, rawBody: body })}, '${SECRET}');
      process.stdout.write(JSON.stringify([before, [...new Set(loaded())].sort()]));
    `;
    const told = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    const [before, after] = JSON.parse(told) as string[][];
    expect(before).toEqual([]);
    expect(after).not.toContain('standardwebhooks');
    expect(after).not.toContain('sns-payload-validator');
  });

  it('may be called with the requests of Node, of the web and of frameworks', () => {
    type Parsed = IncomingMessage & { body: unknown };
    type Kept = { headers: IncomingMessage['headers']; rawBody?: Buffer | string; body: object };
    expectTypeOf<IncomingMessage | Request | Parsed | Kept>().toExtend<Parameters<typeof verify>[0]>();
  });
});
