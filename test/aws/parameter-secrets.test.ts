import { ParameterNotFound, type SSMClient } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { parameterSecrets } from '../../functions/aws/parameter-secrets.ts';

type Sent = { readonly constructor: { readonly name: string }; readonly input: object };

describe('secrets in the parameter store', () => {
  const opened = (answer: () => unknown = () => ({})) => {
    const sent: [string, object][] = [];
    const send = async (command: Sent) => {
      sent.push([command.constructor.name, command.input]);
      return answer();
    };
    return {
      sent,
      keeper: parameterSecrets({ send } as unknown as Pick<SSMClient, 'send'>, '/changewire/x/', 'eu-west-1'),
    };
  };

  it('are encrypted parameters, written over what is there', async () => {
    const { sent, keeper } = opened();
    await keeper.write('crm', 'text');
    const Name = '/changewire/x/crm';
    const parameter = { Name, Type: 'SecureString', Value: 'text', Overwrite: true };
    expect(sent).toEqual([['PutParameterCommand', parameter]]);
    expect(keeper.nameOf('crm')).toBe(Name);
  });

  it('are read decrypted', async () => {
    const { sent, keeper } = opened(() => ({ Parameter: { Value: 'text' } }));
    expect(await keeper.read('crm')).toBe('text');
    expect(sent).toEqual([['GetParameterCommand', { Name: '/changewire/x/crm', WithDecryption: true }]]);
  });

  it('that hold nothing are empty texts, which are refused where they are parsed', async () => {
    expect(await opened().keeper.read('crm')).toBe('');
    expect(await opened(() => ({ Parameter: {} })).keeper.read('crm')).toBe('');
  });

  it('are put there by one command', () => {
    expect(opened().keeper.putting('crm', '{"url":"https://…"}')).toBe(
      `aws ssm put-parameter --type SecureString --overwrite --name /changewire/x/crm --value '{"url":"https://…"}' --region eu-west-1`,
    );
  });

  it('are removed, also one that is not there; any other failure is told', async () => {
    const failing = (error: Error) =>
      opened(() => {
        throw error;
      });
    const { sent, keeper } = opened();
    await keeper.remove('crm');
    expect(sent).toEqual([['DeleteParameterCommand', { Name: '/changewire/x/crm' }]]);
    await failing(new ParameterNotFound({ message: '', $metadata: {} })).keeper.remove('crm');
    await expect(failing(new Error('denied')).keeper.remove('crm')).rejects.toThrow('denied');
  });
});
