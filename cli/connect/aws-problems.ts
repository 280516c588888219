import { Refused } from '../../functions/operations/refused.ts';
import type { Alias } from '../../functions/operations/stack/identity.ts';

/** The function and stack that a failed request was sent to. */
export interface Asked {
  readonly functionName: string;
  readonly alias: Alias;
  readonly region: string;
  readonly stackName: string;
}

/** Describes why a request failed, with a remedy. */
export function unanswered(error: unknown, asked: Asked): Refused {
  const { name: failure = '', message = '' } = error as { name?: string; message?: string };
  return new Refused(
    REMEDIES.find(({ name }) => name.test(failure))?.describe(asked, message) ?? failed(asked, message),
  );
}

interface Remedy {
  readonly name: RegExp;
  readonly describe: (asked: Asked, message: string) => string;
}

const POLICIES: Readonly<Record<Alias, string>> = {
  look: 'LookPolicyArn or ActPolicyArn',
  act: 'ActPolicyArn',
  pull: 'PullPolicyArn or ActPolicyArn',
};

const REMEDIES: readonly Remedy[] = [
  {
    name: /^ResourceNotFound/,
    describe: ({ functionName, alias, region, stackName }) =>
      `The function ${functionName} with the alias ${alias} does not exist in ${region} in the account of your credentials. ` +
      `Check the stack name ${stackName} and the region, and that this version is deployed.`,
  },
  {
    name: /^AccessDenied/,
    describe: ({ functionName, alias, stackName }) =>
      `Your credentials are not allowed to invoke ${functionName}:${alias}. Attach the managed policy in the output ` +
      `${POLICIES[alias]} of the stack ${stackName}.`,
  },
  {
    name: /^(CredentialsProviderError|TokenProviderError)$/,
    describe: (_, message) =>
      `Could not load AWS credentials (${brief(message)}). Sign in as for the AWS CLI, with "aws sso login" or ` +
      'AWS_PROFILE.',
  },
  {
    name: /^(ExpiredToken|ExpiredTokenException|RequestExpired|UnrecognizedClient|UnrecognizedClientException|InvalidSignature|InvalidSignatureException|InvalidClientTokenId|MissingAuthenticationToken|MissingAuthenticationTokenException|IncompleteSignature|IncompleteSignatureException)$/,
    describe: (_, message) =>
      `Your AWS credentials have expired or are invalid (${brief(message)}). Sign in again, for example with "aws sso login". ` +
      "If they are new, check your machine's clock.",
  },
  {
    name: /^(TooManyRequests|Throttling|ServiceQuotaExceeded)/,
    describe: ({ alias }) =>
      `Lambda throttled the request${alias === 'act' ? '; nothing was changed' : ''}. Try again in a moment.`,
  },
  {
    name: /^(TimeoutError|AbortError|NetworkingError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET)$/,
    describe: ({ alias, region }, message) =>
      `Could not reach Lambda in ${region} (${brief(message)}). Check the region name and your network connection.${
        alias === 'act' ? ' To see whether the action was performed: npx changewire actions' : ''
      }`,
  },
];

function failed({ stackName, region }: Asked, message: string): string {
  return (
    `The function "operate" failed: ${brief(message)}. To see its log: ` +
    `npx changewire logs operate --since 15m --stack ${stackName} --region ${region}`
  );
}

function brief(message: string): string {
  return message.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 500);
}
