import {
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreateUserCommand,
  DetachUserPolicyCommand,
  IAMClient,
} from '@aws-sdk/client-iam';
import { lambdaOperations } from '../../cli/connect/stack.ts';
import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { CREDENTIALS, REGION } from './emulator/environment.ts';

/** Somebody with credentials of their own. */
export interface Operator {
  readonly arn: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  ask<Asked extends Request>(request: Asked): Promise<AnswerTo<Asked>>;
}

/** Who may look, who may act as well, and who has neither policy. */
export interface Operators {
  readonly look: Operator;
  readonly act: Operator;
  readonly nobody: Operator;
}

interface Outputs {
  output(name: string): string;
}

/** Makes them, as an administrator does, from the outputs of the stack. */
export async function createOperators(
  endpoint: string,
  stack: Outputs & { readonly name: string },
): Promise<Operators> {
  const iam = new IAMClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  const create = async (UserName: string, policy?: string): Promise<Operator> => {
    const { User } = await iam.send(new CreateUserCommand({ UserName }));
    const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
    if (policy !== undefined)
      await iam.send(new AttachUserPolicyCommand({ UserName, PolicyArn: stack.output(policy) }));
    const credentials = {
      accessKeyId: AccessKey?.AccessKeyId ?? '',
      secretAccessKey: AccessKey?.SecretAccessKey ?? '',
    };
    const operations = lambdaOperations({ stackName: stack.name, region: REGION, credentials, endpoint });
    const caller = { who: 'found out there', isProven: false };
    return { arn: User?.Arn ?? '', credentials, ask: request => operations(request, caller) };
  };
  try {
    return {
      look: await create('looker', 'LookPolicyArn'),
      act: await create('actor', 'ActPolicyArn'),
      nobody: await create('stranger'),
    };
  } finally {
    iam.destroy();
  }
}

/** Gives them the policies of a stack that was made again, or takes them away: a policy that is attached to a user
 *  can't be destroyed. */
export async function changePolicies(
  what: 'attach' | 'detach',
  endpoint: string,
  stack: Outputs,
): Promise<void> {
  const iam = new IAMClient({ endpoint, region: REGION, credentials: CREDENTIALS });
  for (const [UserName, policy] of Object.entries({ looker: 'LookPolicyArn', actor: 'ActPolicyArn' })) {
    const asked = { UserName, PolicyArn: stack.output(policy) };
    if (what === 'attach') await iam.send(new AttachUserPolicyCommand(asked));
    else await iam.send(new DetachUserPolicyCommand(asked));
  }
  iam.destroy();
}
