import { expect, it } from 'vitest';
import { senderOf } from '../../functions/delivery/sender.ts';
import { receiver } from '../kit/delivery/receiver.ts';

const secrets = { read: async () => '', nameOf: () => '', putting: () => '' };

async function connectionsOfTenBatches(keepsConnections: boolean): Promise<number> {
  const crm = await receiver();
  const sender = senderOf({
    ...{ secrets, clock: Date.now, random: Math.random },
    ...{ allowLoopback: true, keepsConnections },
  });
  for (let batch = 0; batch < 10; batch++) {
    const poster = sender.openPoster();
    await poster.post(crm.url, { body: '{}', headers: {} });
    await poster.close();
  }
  expect(crm.received).toHaveLength(10);
  return crm.connections;
}

it('batches have connections of their own', async () => {
  expect(await connectionsOfTenBatches(false)).toBe(10);
});

it('batches that follow each other share connections, where connections are kept', async () => {
  expect(await connectionsOfTenBatches(true)).toBeLessThan(3);
});
