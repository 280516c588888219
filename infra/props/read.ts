import { Stack, Token } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { shown } from '../../functions/config/problems.ts';
import { ConfigError } from '../../functions/config/read.ts';
import type { Config, DeployedInput } from '../../functions/config/schema.ts';
import type { ChangewireProps } from './changewire.ts';
import { configOfProps, propsName } from './schema.ts';
import { unknownValues, written } from './written.ts';

/** The configuration that the properties of a construct are, checked as that of the file; and as it is written in
 *  a file, for the functions, which read it by the same schema.
 *  @throws ConfigError that names the construct, and each property as the file's errors do */
export function readProps(
  construct: Construct,
  props: ChangewireProps,
): { readonly config: Config; readonly written: DeployedInput } {
  const unknown = unknownValues(props);
  if (unknown.length > 0) throw errorIn(construct, unknown);
  const name = props?.name ?? Stack.of(construct).stackName;
  const asWritten = written(props);
  const result = configOfProps(asWritten, name);
  const found = [
    ...(props?.name === undefined ? stackNameProblems(name) : []),
    ...('problems' in result ? result.problems : []),
  ];
  if (found.length > 0 || 'problems' in result) throw errorIn(construct, found);
  const { workspaces, changes, sweep, subscriptions, endpoints } = asWritten as DeployedInput;
  return { config: result.config, written: { workspaces, changes, sweep, subscriptions, endpoints } };
}

function errorIn({ node }: Construct, found: readonly string[]): ConfigError {
  return new ConfigError(found, `the properties of ${node.path}`);
}

/** Why the name of its stack can't be that of a Changewire; nothing where it can. */
function stackNameProblems(name: string): string[] {
  if (Token.isUnresolved(name))
    return [
      `name: found nothing, and that of its stack is known only when it is deployed; allowed: ${allowedName}`,
    ];
  if (propsName.safeParse(name).success) return [];
  return [
    `name: found nothing, and that of its stack is ${shown(name)}, which can be none; allowed: ${allowedName}`,
  ];
}

const allowedName = propsName.safeParse('').error?.issues[0]?.message ?? '';
