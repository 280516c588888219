import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { chatJobs, type Job, type ReadDelivery, webhookJobs } from '../../functions/delivery/kinds.ts';
import type { ChangeEvent, SentEvent } from '../../functions/model/event.ts';
import { AT, SECRET, someEvents } from '../kit/delivery/setting.ts';

const events = someEvents(3) as [ChangeEvent, ChangeEvent, ChangeEvent];
const deliveryOf = (id: string, event: ChangeEvent, replay?: boolean): ReadDelivery => ({
  ...{ id, endpoint: 'crm', eventId: event.id, at: AT, attributes: {}, event, replay },
  body: `${id} ${JSON.stringify(event)}`,
});
const all = events.map((event, index) => deliveryOf(`m${index}`, event));
const secret = { url: 'https://crm.example/', secrets: [SECRET] };

describe('jobs for a webhook', () => {
  it('are one signed request for each event, with the bytes of its message, at the time of the attempt', () => {
    const { jobs, unrenderable } = webhookJobs(all);
    expect(unrenderable).toEqual([]);
    expect(jobs.map(({ deliveries }) => deliveries)).toEqual(all.map(each => [each]));
    const { body = '', headers = {} } = jobs[1]?.request(AT + 5_000, secret) ?? {};
    expect(body).toBe(all[1]?.body);
    expect(headers).toEqual({
      'webhook-id': events[1].id,
      'webhook-timestamp': String(AT / 1000 + 5),
      'webhook-signature': new Webhook(SECRET).sign(events[1].id, new Date(AT + 5_000), body),
    });
  });

  it.each([undefined, 10])('leave records out of requests only, with a batch of %s', batch => {
    expect(events[0].data).toHaveProperty('task.record');
    const { jobs } = webhookJobs(all, { batch, record: false });
    expect(jobs.flatMap(({ deliveries }) => deliveries)).toEqual(all);
    for (const job of jobs) {
      const { body } = job.request(AT, secret);
      const sent = [JSON.parse(body)].flat();
      expect(sent.map(({ id }) => id)).toEqual(job.deliveries.map(({ event }) => event.id));
      for (const event of sent) {
        expect(event.data.truncated).toEqual(['record']);
        expect(event.data.task).not.toHaveProperty('record');
      }
    }
  });

  it('tell what was asked for once more by a header, with the same id and the same bytes', () => {
    const { jobs } = webhookJobs([deliveryOf('m0', events[0], true), deliveryOf('m0', events[0])]);
    const [replayed, first] = jobs.map(job => job.request(AT, secret));
    expect(replayed).toEqual({ ...first, headers: { ...first?.headers, 'changewire-replay': 'true' } });
    expect(first?.headers).not.toHaveProperty('changewire-replay');
  });
});

const idsOf = ({ deliveries }: Job) => deliveries.map(({ id }) => id);

it('jobs for a chat are one request for each message, which settles all that it tells', () => {
  const asked: (readonly SentEvent[])[] = [];
  const again = deliveryOf('again', events[0]);
  const { jobs, unrenderable } = chatJobs([...all, again], some => {
    asked.push(some);
    if (some.length === 1) return [];
    return [
      { body: 'one', eventIds: [events[0].id, events[2].id] },
      { body: 'two', eventIds: [events[1].id] },
    ];
  });
  // An event that came twice is told once.
  expect(asked.at(-1)).toEqual(events);
  expect(unrenderable).toEqual([]);
  expect(jobs.map(idsOf)).toEqual([['m0', 'm2', 'again'], ['m1']]);
  expect(jobs[0]?.request(AT, secret)).toEqual({ body: 'one', headers: {} });
});

it('jobs for a chat leave out an event that the format chokes on, with the kind of error but nothing of its message', () => {
  const { jobs, unrenderable } = chatJobs(all, some => {
    if (some.includes(events[1])) throw new TypeError('hush');
    return [{ body: 'all', eventIds: events.map(({ id }) => id) }];
  });
  expect(unrenderable).toEqual([{ delivery: all[1], reason: 'the event cannot be rendered (TypeError)' }]);
  expect(jobs.map(idsOf)).toEqual([['m0', 'm2']]);
});
