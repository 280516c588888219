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
      `aws secretsmanager put-secret-value --secret-id ${secretId} ${await optionsFor(client)}`,
  );
}

/** With the region: an operator's shell may have another one. */
async function optionsFor({ config }: SecretsManagerClient): Promise<string> {
  return `--secret-string '{"clientId":"…","clientSecret":"…"}' --region ${await config.region()}`;
}

async function readText(client: SecretsManagerClient, secretId: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetSecretValueCommand({ SecretId: secretId }))).SecretString;
  } catch (error) {
    if (!isMissingSecret(error)) throw error;
    const remedy =
      error.name === DENIED
        ? 'Create it or, if it exists, permit the functions kms:Decrypt on its key. To create it: '
        : "Create it with the service's credentials: ";
    throw new Error(
      `Secret ${secretId} not found (${error.name}). ${remedy}` +
        `aws secretsmanager create-secret --name ${secretId} ${await optionsFor(client)}`,
    );
  }
}

const DENIED = 'AccessDeniedException';
const MISSING = new Set(['ResourceNotFoundException', DENIED]);

/** Whether an error of Secrets Manager means that a secret is missing. Denied access counts: a policy that
 *  names secrets by their ARNs denies a secret that has no ARN yet. So does a key that may not be used. */
function isMissingSecret(error: unknown): error is Error {
  return error instanceof Error && MISSING.has(error.name);
}
