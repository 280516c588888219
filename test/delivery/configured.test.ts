import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parameterSecrets } from '../../functions/aws/parameter-secrets.ts';
import { readConfigured } from '../../functions/config/deployed/configured.ts';

/** A file that holds that. */
function fileOf(text: string): URL {
  const directory = mkdtempSync(join(tmpdir(), 'configured-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'configured.json');
  writeFileSync(path, text);
  return pathToFileURL(path);
}
const endpoint = { name: 'crm', kind: 'webhook' };
const nothing = { endpoints: [], linkTemplates: [], subscriptions: [], processes: [] };

describe('what is bundled with the code', () => {
  it('is read as the deployment writes it', () => {
    const values = [{ field: 'status', from: ['New', 1, true], to: ['Done'] }];
    const filter = {
      events: ['task.updated'],
      workspaces: ['eu'],
      processes: ['p'],
      projects: ['1'],
      fields: ['f'],
      values,
      actors: ['Ann Lee'],
      exceptActors: ['u-9'],
    };
    const whole = {
      endpoints: [
        { ...endpoint, filter, perSecond: 100 },
        { name: 'bot', kind: 'slack' },
      ],
      linkTemplates: [{ workspace: 'eu', task: 'https://app.example.com/{taskId}' }],
      subscriptions: [{ name: 'warehouse', url: 'https://warehouse.example.com/' }],
      processes: [{ workspace: 'eu', processId: 'onboarding' }],
    };
    expect(readConfigured(fileOf(JSON.stringify(whole)))).toEqual(whole);
    expect(readConfigured(fileOf(JSON.stringify(nothing)))).toEqual(nothing);
  });

  it.each([
    [{}, /endpoints: .*linkTemplates: .*subscriptions: /],
    [{ ...nothing, typo: 1 }, /typo/],
    [{ ...nothing, endpoints: [{ ...endpoint, name: 'a b' }] }, /endpoints\.0\.name/],
    [{ ...nothing, endpoints: [{ ...endpoint, kind: 'fax' }] }, /endpoints\.0\.kind/],
    [{ ...nothing, endpoints: [{ ...endpoint, url: 'x' }] }, /endpoints\.0: .*url/],
    [{ ...nothing, endpoints: [{ ...endpoint, perSecond: 0 }] }, /perSecond/],
    [{ ...nothing, endpoints: [{ ...endpoint, perSecond: 101 }] }, /perSecond/],
    [{ ...nothing, endpoints: [{ ...endpoint, filter: { field: ['a'] } }] }, /filter: .*field/],
    [{ ...nothing, linkTemplates: [{ task: 'x' }] }, /linkTemplates\.0\.workspace/],
    [{ ...nothing, subscriptions: [{ name: 'a', url: 'no url' }] }, /subscriptions\.0\.url/],
  ])('and is not as it should be (%j) is refused, with what is wrong and what to do', (found, wrong) => {
    const read = () => readConfigured(fileOf(JSON.stringify(found)));
    expect(read).toThrow(wrong);
    expect(read).toThrow(/^configured\.json is not as the deployment writes it\. .*Deploy again\.$/);
  });

  it('and is not there, or no JSON, is no empty configuration', () => {
    expect(() => readConfigured(pathToFileURL('/nowhere/configured.json'))).toThrow(/ENOENT/);
    expect(() => readConfigured(fileOf('no JSON'))).toThrow(SyntaxError);
  });
});

describe('secrets in the parameter store', () => {
  function open(answer: object = { Parameter: { Value: 'hush' } }) {
    const sent: object[] = [];
    const send = async (command: object) => {
      sent.push(command);
      return answer;
    };
    return { sent, secrets: parameterSecrets({ send } as unknown as SSMClient, '/changewire/endpoints/') };
  }

  it('have the names of their endpoints, and are read in clear', async () => {
    const { sent, secrets } = open();
    expect(await secrets.read('crm')).toBe('hush');
    expect(sent).toEqual([expect.any(GetParameterCommand)]);
    expect(sent).toMatchObject([{ input: { Name: '/changewire/endpoints/crm', WithDecryption: true } }]);
    expect(secrets.nameOf('crm')).toBe('/changewire/endpoints/crm');
  });

  it('that hold nothing are empty texts, which are refused where they are parsed', async () => {
    expect(await open({}).secrets.read('crm')).toBe('');
    expect(await open({ Parameter: {} }).secrets.read('crm')).toBe('');
  });

  it('are put there by one command', () => {
    expect(open().secrets.putting('crm', '{"url":"https://…"}')).toBe(
      `aws ssm put-parameter --type SecureString --overwrite --name /changewire/endpoints/crm --value '{"url":"https://…"}'`,
    );
  });
});
