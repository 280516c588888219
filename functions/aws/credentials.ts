import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { jsonOf } from '../basics/json.ts';

const credentials = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/** One workspace's client credentials (service-api.md §5). */
export type Credentials = z.infer<typeof credentials>;

/** Reads `{"clientId": "...", "clientSecret": "..."}` from Secrets Manager.
 *  @throws an error that names the secret and its problem, never its contents. */
export async function readCredentials(client: SecretsManagerClient, secretId: string): Promise<Credentials> {
  const text = await readText(client, secretId);
  const read = credentials.safeParse(jsonOf(text ?? ''));
  if (read.success) return read.data;
  const missing = read.error.issues.map(issue => issue.path.join('.') || 'the JSON object').join(', ');
  throw new Error(
    `Secret ${secretId} lacks ${missing}. Store the service's credentials in it: ` +
      `aws secretsmanager put-secret-value --secret-id ${secretId} ${EXAMPLE}`,
  );
}

const EXAMPLE = `--secret-string '{"clientId":"…","clientSecret":"…"}'`;

async function readText(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId: secretId }))).SecretString;
  } catch (error) {
    if (!isMissingSecret(error)) throw error;
    throw new Error(
      `Secret ${secretId} not found (${error.name}). Create it with the service's credentials: ` +
        `aws secretsmanager create-secret --name ${secretId} ${EXAMPLE}`,
    );
  }
}

const MISSING = new Set(['ResourceNotFoundException', 'AccessDeniedException']);

/** Whether an error of Secrets Manager means that a secret is missing. Denied access counts: a policy that
 *  names secrets by their ARNs denies a secret that has no ARN yet. */
function isMissingSecret(error: unknown): error is Error {
  return error instanceof Error && MISSING.has(error.name);
}
