import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';

const credentials = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** One workspace's client credentials (service-api.md §5). */
export type Credentials = z.infer<typeof credentials>;

/** Reads `{"clientId": "...", "clientSecret": "..."}` from Secrets Manager.
 *  @throws an error that names the secret and what is wrong with it, never what is in it. */
export async function readCredentials(client: SecretsManagerClient, secretId: string): Promise<Credentials> {
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: secretId }));
  const read = credentials.safeParse(parsed(text ?? ''));
  if (read.success) return read.data;
  const missing = read.error.issues.map(issue => issue.path.join('.') || 'the JSON object').join(', ');
  throw new Error(
    `Secret ${secretId} lacks ${missing}. Put the service's credentials there: ` +
      `aws secretsmanager put-secret-value --secret-id ${secretId} --secret-string '{"clientId":"…","clientSecret":"…"}'`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
