import { describe, expect, it } from 'vitest';
import { readWorkspaces } from '../../../functions/config/deployed/workspaces.ts';
import { handler } from '../../../functions/operate.ts';

const workspaces = [
  {
    name: 'eu',
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    audience: 'a',
    credentials: 'changewire/eu',
    processes: [{ id: 'p' }],
  },
];

const RUSHED = { fastest: 2_000, slowest: 1_000 };

describe('the operate function', () => {
  it('names what its environment lacks, at its first call and not at import', async () => {
    const context = { invokedFunctionArn: 'arn:aws:lambda:r:1:function:Changewire-operate:look' };
    await expect(handler({}, context)).rejects.toThrow(
      /environment of operate\.ts.*UNSETTLED_QUEUE_URL.*Deploy again/s,
    );
  });

  it('reads the workspaces beside its code, with their defaults', () => {
    expect(readWorkspaces(JSON.stringify(workspaces))).toMatchObject([
      {
        concurrency: 16,
        processes: [{ changes: { fastest: 60_000, slowest: 60_000 }, sweep: 21_600_000, overlap: 120_000 }],
      },
    ]);
  });

  it.each([
    ['no JSON', /workspaces\.json.*JSON.*Deploy again/],
    ['[{"name":"eu"}]', /0\.baseUrl/],
    [JSON.stringify([{ ...workspaces[0], processes: [{ id: 'p', changes: RUSHED }] }]), /fastest/],
    ['[{"whsec_sesame":1}]', /^(?!.*sesame)/],
  ])('names what is wrong there, and quotes nothing of it: %s', (text, message) => {
    expect(() => readWorkspaces(text)).toThrow(message);
  });
});
