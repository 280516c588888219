import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterNotFound,
  PutParameterCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import type { SecretKeeper } from '../model/secret.ts';

/** Endpoints' secrets as SecureString parameters of Systems Manager in `region`, named `path` + endpoint name. */
export function parameterSecrets(
  client: Pick<SSMClient, 'send'>,
  path: string,
  region: string,
): SecretKeeper {
  const nameOf = (endpoint: string) => path + endpoint;
  return {
    nameOf,
    async read(endpoint) {
      const command = new GetParameterCommand({ Name: nameOf(endpoint), WithDecryption: true });
      const { Parameter } = await client.send(command);
      return Parameter?.Value ?? '';
    },
    putting: (endpoint, text) =>
      `aws ssm put-parameter --type SecureString --overwrite --name ${nameOf(endpoint)} --value '${text}' --region ${region}`,
    async write(endpoint, Value) {
      const parameter = { Name: nameOf(endpoint), Type: 'SecureString', Value, Overwrite: true } as const;
      await client.send(new PutParameterCommand(parameter));
    },
    async remove(endpoint) {
      try {
        await client.send(new DeleteParameterCommand({ Name: nameOf(endpoint) }));
      } catch (error) {
        if (!(error instanceof ParameterNotFound)) throw error;
      }
    },
  };
}
