import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { senderOf } from '../../functions/delivery/sender.ts';
import { slackMessages } from '../../functions/delivery/slack/slack.ts';
import { teamsMessages } from '../../functions/delivery/teams/teams.ts';
import { testEvent } from '../../functions/model/test-event.ts';
import { addEndpoint, pauseEndpoint, updateEndpoint } from '../../functions/operations/endpoints.ts';
import { testEndpoint } from '../../functions/operations/test-event.ts';
import { checkEvents } from '../kit/check-event.ts';
import { listen } from '../kit/listen.ts';
import { AT, openHouse, STORES } from '../kit/operations/house.ts';

interface Got {
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe.each(STORES)('over %s, a test of an endpoint', (_, open) => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const opened = async (status = 200, answer = 'thanks') => {
    const got: Got[] = [];
    const server = createServer(async (request, response) => {
      const chunks = await request.toArray();
      got.push({ headers: request.headers as Got['headers'], body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end(answer);
    });
    const listening = await listen(server);
    const house = openHouse(open);
    closers.push(() => house.close(), listening.stop);
    const { openPoster, chatFormats } = senderOf({
      secrets: house.secrets,
      clock: house.clock,
      random: () => 0,
      allowLoopback: true,
    });
    const url = `${listening.url}/hook`;
    return { house: { ...house, openPoster, chatFormats }, got, url };
  };

  it('is a valid event, signed as all are, whatever the filter and while nothing else is sent', async () => {
    const { house, got, url } = await opened();
    const filter = { events: ['source.held'] } as const;
    const { secret } = await addEndpoint({ name: 'crm', kind: 'webhook', url, filter }, house);
    await pauseEndpoint('crm', house);
    const before = await house.rows.read('crm');
    const attempt = await testEndpoint('crm', house);
    expect(attempt).toMatchObject({ endpoint: 'crm', at: AT, status: 200, answer: 'thanks', took: 0 });
    const [{ headers, body }] = got as [Got];
    const event = JSON.parse(body);
    checkEvents([event]);
    expect(event).toMatchObject({ type: 'changewire.test', data: { endpoint: { name: 'crm' } } });
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(new Webhook(secret as string).sign(event.id, at, body));
    expect(await house.deliveries.attempts('crm', 9)).toEqual([attempt]);
    expect(attempt.events).toEqual([{ id: event.id, type: 'changewire.test' }]);
    expect(await house.rows.read('crm')).toEqual(before);
    expect((await testEndpoint('crm', house)).events[0]?.id).not.toBe(event.id);
  });

  it('is told what came back, made harmless, and goes to the address as it is now', async () => {
    const answer = `\u001b[2Jno\u0000 way ${'x'.repeat(3_000)}`;
    const { house, url } = await opened(500, answer);
    await addEndpoint({ name: 'crm', kind: 'webhook', url: 'https://crm.example/' }, house);
    await updateEndpoint('crm', { url }, house);
    const attempt = await testEndpoint('crm', house);
    expect(attempt).toMatchObject({ status: 500, failure: 'answered 500' });
    expect(attempt.answer).toMatch(/^\[2Jno way x{900,1020}$/);
    expect((await house.rows.read('crm'))?.health).toEqual({});
  });

  it('that succeeds is not kept where successes are not', async () => {
    const { house, url } = await opened();
    await addEndpoint({ name: 'crm', kind: 'webhook', url, keepSuccesses: false }, house);
    expect(await testEndpoint('crm', house)).toMatchObject({ status: 200 });
    expect(await house.deliveries.attempts('crm', 9)).toEqual([]);
  });

  it.each(['slack', 'teams'] as const)('is a plain sentence in %s', async kind => {
    const { house, got, url } = await opened();
    await addEndpoint({ name: 'chat', kind, url }, house);
    await testEndpoint('chat', house);
    const message = JSON.parse(got[0]?.body ?? '{}');
    const told: string = kind === 'slack' ? message.text : message.summary;
    expect(told.replaceAll('\u2060', '')).toContain(`This is a test: Events of Changewire arrive here`);
  });

  it('of one without a secret, or of none, says what to do', async () => {
    const { house } = await opened();
    await expect(testEndpoint('nobody', house)).rejects.toThrow('no endpoint of this name');
    await house.rows.change('crm', () => ({
      name: 'crm',
      settings: { name: 'crm', kind: 'slack' },
      health: {},
    }));
    await expect(testEndpoint('crm', house)).rejects.toThrow('Put it there: put it into crm');
  });
});

it('a test is told beside other events of a batch', () => {
  const [one, other] = ['1', '2'].map(tag => testEvent('crm', { at: AT, tag })) as [never, never];
  for (const format of [slackMessages, teamsMessages])
    expect(format([one, other]).map(({ eventIds }) => eventIds)).toEqual([
      [`changewire.test.${AT}.1`],
      [`changewire.test.${AT}.2`],
    ]);
});
