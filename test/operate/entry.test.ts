import { describe, expect, it } from 'vitest';
import { handler } from '../../functions/operate.ts';
import { parseEnvironment, pollEnvironment, readWorkspaces } from '../../functions/settings.ts';

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

describe('the operate function', () => {
  it('names what its environment lacks, at its first call and not at import', async () => {
    const context = { invokedFunctionArn: 'arn:aws:lambda:r:1:function:Changewire-operate:look' };
    await expect(handler({}, context)).rejects.toThrow(
      /environment of operate\.ts.*UNSETTLED_QUEUE_URL.*Deploy again/s,
    );
  });

  it('reads the workspaces beside its code as the poll function reads them from its environment', () => {
    const text = JSON.stringify(workspaces);
    const { WORKSPACES } = parseEnvironment('poll.ts', pollEnvironment, {
      TABLE_NAME: 't',
      WORKSPACES: text,
    });
    expect(readWorkspaces(text)).toEqual(WORKSPACES);
  });

  it.each([
    ['no JSON', /workspaces\.json.*JSON.*Deploy again/],
    ['[{"name":"eu"}]', /0\.baseUrl/],
    ['[{"whsec_sesame":1}]', /^(?!.*sesame)/],
  ])('names what is wrong there, and quotes nothing of it: %s', (text, message) => {
    expect(() => readWorkspaces(text)).toThrow(message);
  });
});
