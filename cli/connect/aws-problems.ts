import { Refused } from '../../functions/operations/refused.ts';
import type { Alias } from '../../functions/operations/stack/identity.ts';

/** The request that failed, and the stack that it was sent to. */
export interface Asked {
  readonly functionName: string;
  readonly alias: Alias;
  readonly region: string;
  readonly stackName: string;
}

/** Why there is no answer, in words that say what to do. */
export function unanswered(error: unknown, asked: Asked): Refused {
  const { name = '', message = '' } = error as { name?: string; message?: string };
  return new Refused(
    REMEDIES.find(({ of }) => of.test(name))?.says(asked, message) ?? failed(asked, message),
  );
}

interface Remedy {
  readonly of: RegExp;
  readonly says: (asked: Asked, message: string) => string;
}

const REMEDIES: readonly Remedy[] = [
  {
    of: /^ResourceNotFound/,
    says: ({ functionName, alias, region, stackName }) =>
      `There is no function ${functionName} with an alias ${alias} in ${region}, in the account of your credentials. ` +
      `Is the stack called ${stackName}, and was it deployed there, in this version?`,
  },
  {
    of: /^AccessDenied/,
    says: ({ functionName, alias, stackName }) =>
      `Your credentials may not invoke ${functionName}:${alias}. It takes the managed policy that is the output ` +
      `${alias === 'look' ? 'LookPolicyArn or ActPolicyArn' : 'ActPolicyArn'} of the stack ${stackName}.`,
  },
  {
    of: /^(CredentialsProviderError|TokenProviderError)$/,
    says: (_, message) =>
      `There are no AWS credentials to ask with, or they can't be had (${brief(message)}). Sign in as for the AWS CLI, with "aws sso login" or ` +
      'AWS_PROFILE.',
  },
  {
    of: /^(ExpiredToken|ExpiredTokenException|RequestExpired|UnrecognizedClient|UnrecognizedClientException|InvalidSignature|InvalidSignatureException|InvalidClientTokenId|MissingAuthenticationToken|MissingAuthenticationTokenException|IncompleteSignature|IncompleteSignatureException)$/,
    says: (_, message) =>
      `Your AWS credentials have expired, or are not valid (${brief(message)}). Sign in again, with "aws sso login" or however you ` +
      "got them; if they are new, see whether your machine's clock is right.",
  },
  {
    of: /^(TooManyRequests|Throttling|ServiceQuotaExceeded)/,
    says: ({ alias }) =>
      `Lambda has too much to do in this account${alias === 'act' ? ', and nothing was done' : ''}. Try again in a moment.`,
  },
  {
    of: /^(TimeoutError|AbortError|NetworkingError|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET)$/,
    says: ({ alias, region }, message) =>
      `Lambda in ${region} gave no answer (${brief(message)}). Is that the name of a region, and can you reach it?${
        alias === 'act' ? ' Whether it was done, "npx changewire actions" tells.' : ''
      }`,
  },
];

function failed({ stackName, region }: Asked, message: string): string {
  return (
    `The function that answers failed: ${brief(message)}. What it logged: ` +
    `npx changewire logs operate --since 15m --stack ${stackName} --region ${region}`
  );
}

function brief(message: string): string {
  return message.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 500);
}
