import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Message, Queue } from '../../functions/queue/queue.ts';

/** A queue that hides a message that was received for two seconds. */
export interface Subject {
  readonly queue: Queue;
  /** False where messages lose their group: the embedded SQS gives it for FIFO queues alone. */
  readonly givesGroups: boolean;
  /** Lets at least so many ms pass. */
  pass(ms: number): Promise<void>;
}

/** What every queue does. */
export function queueContract(
  name: string,
  start: () => Promise<{ open(): Promise<Subject>; stop(): Promise<void> }>,
) {
  describe.concurrent(name, () => {
    let started: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.stop());

    const all = async ({ queue }: Subject): Promise<Message[]> => {
      const messages: Message[] = [];
      for (let some = await queue.receive(10); some.length > 0; some = await queue.receive(10))
        messages.push(...some);
      return messages;
    };
    const bodiesOf = (messages: readonly Message[]) => messages.map(({ body }) => body).toSorted();

    it('gives a message as it was sent: body, group, attributes, time, and that it is received for the first time', async () => {
      const subject = await started.open();
      const attributes = { endpoint: 'crm', wake: '1' };
      expect(await subject.queue.send([{ body: '{"é":"\n"}', group: 'crm', attributes }])).toEqual({
        indexes: [],
      });
      const [message, ...others] = await all(subject);
      expect(others).toEqual([]);
      expect(message).toMatchObject({ body: '{"é":"\n"}', attributes, receives: 1 });
      if (subject.givesGroups) expect(message?.group).toBe('crm');
      expect(message?.sentAt).toBeGreaterThan(1e12);
    });

    it('gives a message without group and attributes', async () => {
      const subject = await started.open();
      await subject.queue.send([{ body: 'x' }]);
      const [message] = await all(subject);
      expect(message).toMatchObject({ body: 'x', attributes: {} });
      expect(message?.group).toBeUndefined();
    });

    it('gives each message once, of whatever group, and never more than was asked for', async () => {
      const subject = await started.open();
      const bodies = Array.from({ length: 35 }, (_, index) => `m${index}`);
      await subject.queue.send(bodies.map((body, index) => ({ body, group: `g${index % 4}` })));
      expect((await subject.queue.receive(3)).length).toBeLessThanOrEqual(3);
      await subject.pass(2_100);
      const messages = await all(subject);
      expect(bodiesOf(messages)).toEqual(bodies.toSorted());
      expect(new Set(messages.map(({ id }) => id)).size).toBe(35);
    });

    it('gives a message again after its visibility time-out, and counts that, but not one that was deleted', async () => {
      const subject = await started.open();
      await subject.queue.send([{ body: 'one' }, { body: 'two' }]);
      const [first, second] = (await all(subject)) as [Message, Message];
      expect(await subject.queue.receive(10)).toEqual([]);
      await subject.queue.delete([first]);
      await subject.pass(2_100);
      expect(await all(subject)).toMatchObject([{ id: second.id, body: second.body, receives: 2 }]);
      await subject.queue.delete([]);
    });

    it('shows a message again when it is told to, at once or later', async () => {
      const subject = await started.open();
      await subject.queue.send([
        { body: 'soon', group: 'a' },
        { body: 'late', group: 'b' },
      ]);
      for (const message of await all(subject))
        await subject.queue.extend(message, message.body === 'soon' ? 0 : 600);
      expect(bodiesOf(await all(subject))).toEqual(['soon']);
      await subject.pass(2_100);
      expect(bodiesOf(await all(subject))).toEqual(['soon']);
    });

    it('holds a message back for its delay', async () => {
      const subject = await started.open();
      await subject.queue.send([{ body: 'now' }, { body: 'later', delay: 1.9 }]);
      expect(bodiesOf(await all(subject))).toEqual(['now']);
      await subject.pass(2_100);
      expect(bodiesOf(await all(subject))).toContain('later');
    });

    it('deletes many at once', async () => {
      const subject = await started.open();
      await subject.queue.send(Array.from({ length: 25 }, (_, index) => ({ body: `m${index}` })));
      await subject.queue.delete(await all(subject));
      await subject.pass(2_100);
      expect(await all(subject)).toEqual([]);
    });

    it('sends nothing when there is no time, and says so', async () => {
      const subject = await started.open();
      expect((await subject.queue.send([{ body: 'x' }, { body: 'y' }], () => false)).indexes).toEqual([0, 1]);
      expect(await subject.queue.send([])).toEqual({ indexes: [] });
      expect(await all(subject)).toEqual([]);
    });
  });
}
