import { afterEach, describe, expect, it } from 'vitest';
import { type OpenContext, openContext, STORES } from '../kit/operations/context.ts';
import { type Ask, askIn } from '../kit/operations/setting.ts';

const CRM = { endpoint: 'crm', kind: 'webhook', url: 'https://crm.example/hooks' } as const;

describe.each(STORES)('over %s, the headers of an endpoint', (_, open) => {
  let context: OpenContext;
  let ask: Ask;
  const opened = () => {
    context = openContext(open, [{ name: 'fixed', kind: 'slack' }]);
    ask = askIn(context);
  };
  afterEach(() => context.close());
  const secretOf = async (name: string) => JSON.parse(await context.secrets.read(name));

  it('are kept in its secret, and only their names are shown', async () => {
    opened();
    await ask('add-endpoint', { ...CRM, headers: { Authorization: 'Bearer hush', 'X-Key': 'hush' } });
    const revision = (await context.endpoints.read('crm'))?.secretRevision as number;
    await ask('update-endpoint', { endpoint: 'crm', headers: { 'x-key': null, 'X-Env': 'hush2' } });
    const headers = { Authorization: 'Bearer hush', 'X-Env': 'hush2' };
    expect(await secretOf('crm')).toMatchObject({ url: CRM.url, headers });
    // So that all runs read the secret again.
    expect((await context.endpoints.read('crm'))?.secretRevision).toBeGreaterThan(revision);
    await ask('rotate-secret', { endpoint: 'crm' });
    await ask('finish-rotation', { endpoint: 'crm' });
    await ask('update-endpoint', { endpoint: 'crm', url: 'https://crm.example/new' });
    expect(await secretOf('crm')).toMatchObject({ url: 'https://crm.example/new', headers });
    const shown = await ask('endpoint', { endpoint: 'crm' });
    expect(shown.headers).toEqual(['Authorization', 'X-Env']);
    const { actions } = await ask('actions', { endpoint: 'crm' });
    const details = actions.map(each => each.details);
    expect(details).toContain('webhook, the header Authorization, the header X-Key');
    expect(details).toContain('no header x-key, the header X-Env');
    const told = [shown, actions, await context.endpoints.list(), context.said];
    expect(JSON.stringify(told)).not.toContain('hush');
    await ask('update-endpoint', { endpoint: 'crm', headers: { Authorization: null, 'X-Env': null } });
    expect(await secretOf('crm')).not.toHaveProperty('headers');
    expect(await ask('endpoint', { endpoint: 'crm' })).not.toHaveProperty('headers');
  });

  it('are needed by a Slack app, which is refused without its token', async () => {
    opened();
    const team = { endpoint: 'team', kind: 'slack-app', url: CRM.url, channel: '#launches' } as const;
    const lack = 'headers: this kind of endpoint needs the header "Authorization: Bearer xoxb-…".';
    await expect(ask('add-endpoint', team)).rejects.toThrow(lack);
    await ask('add-endpoint', { ...team, headers: { authorization: 'Bearer xoxb-hush' } });
    const removal = ask('update-endpoint', { endpoint: 'team', headers: { Authorization: null } });
    await expect(removal).rejects.toThrow(lack);
    context.receiver.body = '{"ok":false,"error":"channel_not_found"}';
    const { failure } = await ask('test-endpoint', { endpoint: 'team' });
    expect(failure).toMatch(/^Slack answered channel_not_found: /);
    const preview = await ask('preview', { endpoint: 'team' });
    expect(preview).toMatchObject({ headers: { authorization: '(secret)' }, body: { channel: '#launches' } });
  });

  it('of the configuration are changed, too, and sent with a test', async () => {
    opened();
    await context.secrets.write('fixed', JSON.stringify({ url: CRM.url, headers: { 'X-A': '1' } }));
    await ask('update-endpoint', { endpoint: 'fixed', headers: { 'X-B': '2' } });
    await ask('test-endpoint', { endpoint: 'fixed' });
    expect(context.posts.map(({ headers }) => headers)).toEqual([{ 'X-A': '1', 'X-B': '2' }]);
  });

  it.each([
    [{ Host: 'hush' }, 'headers: Host is a header that Changewire or HTTP sets.'],
    [{ 'X-A': 'hush\n' }, 'headers: the value of X-A must have 1 to 2048 printable ASCII characters.'],
    [
      { 'X-A': 'a'.repeat(2048), 'X-B': 'b'.repeat(2048) },
      'headers: the address and the headers have 4096 characters at most.',
    ],
  ])('%j are refused, and nothing is changed', async (headers, message) => {
    opened();
    await expect(ask('add-endpoint', { ...CRM, headers })).rejects.toThrow(message);
    expect(context.secrets.texts.size).toBe(0);
    await ask('add-endpoint', CRM);
    const before = await context.secrets.read('crm');
    await expect(ask('update-endpoint', { endpoint: 'crm', headers })).rejects.toThrow(message);
    expect(await context.secrets.read('crm')).toBe(before);
  });
});
