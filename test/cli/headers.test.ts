import { describe, expect, it } from 'vitest';
import { run } from '../kit/cli/world.ts';

const STATUS = {
  ...{ name: 'crm', kind: 'webhook', isConfigured: false, overrides: false, keepSuccesses: true },
  ...{ perSecond: 10, state: 'healthy', headers: ['Authorization', 'X-B'] },
  ...{ waiting: { atLeast: 0, isExact: true }, dead: { atLeast: 0, isExact: true } },
};
const answers = {
  'add-endpoint': { endpoint: 'crm' },
  'update-endpoint': STATUS,
  endpoint: STATUS,
};

describe('headers of an endpoint', () => {
  it('are added, changed and removed, each in an option or from stdin', async () => {
    const added = await run(
      ['endpoints', 'add', 'crm', '--webhook', 'https://a.example', '--header', '-', '--header', 'X-B: 2'],
      { answers, secrets: ['Authorization: Bearer a'] },
    );
    expect(added.asked).toMatchObject([{ headers: { Authorization: 'Bearer a', 'X-B': '2' } }]);
    const updated = await run(
      ['endpoints', 'update', 'crm', '--header', 'X-C: 3', '--remove-header', 'X-B'],
      { answers },
    );
    expect(updated.asked).toEqual([
      { operation: 'update-endpoint', endpoint: 'crm', headers: { 'X-C': '3', 'X-B': null } },
    ]);
  });

  it('that are wrong are refused without being shown', async () => {
    const { code, err, asked } = await run(['endpoints', 'update', 'crm', '--header', 'hush'], { answers });
    expect([code, asked]).toEqual([2, []]);
    expect(err).toContain('--header takes "NAME: VALUE"');
    expect(err).not.toContain('hush');
  });

  it('are shown by their names', async () => {
    const { out } = await run(['endpoints', 'show', 'crm'], { answers });
    expect(out).toContain('\nwith the headers Authorization, X-B\n');
    expect(out).not.toContain('records');
  });

  it('are shown beside whether records are sent', async () => {
    const slim = { ...answers, endpoint: { ...STATUS, record: false } };
    const { out } = await run(['endpoints', 'show', 'crm'], { answers: slim });
    expect(out).toContain('max. 10 per second; without records\n');
  });
});
