import { Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { findings } from '../kit/infra/nag.ts';
import { committedConfig, leastConfig, testApp, testStack, testStacks } from '../kit/infra/synthesise.ts';

interface Acknowledged {
  readonly path: string;
  readonly rule: string;
  readonly reason: string;
}

/** Every acknowledgement in the tree. */
function acknowledgements(scope: IConstruct): Acknowledged[] {
  return scope.node.findAll().flatMap(({ node }) =>
    node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) => Object.entries(data as Record<string, string>))
      .map(([rule, reason]) => ({ path: node.path, rule: rule.replace(/^[A-Za-z]+::/, ''), reason })),
  );
}

describe('cdk-nag AwsSolutions', () => {
  const [workspace] = leastConfig().workspaces;
  const workspaces = Array.from({ length: 100 }, (_, n) => ({ ...workspace, name: `workspace-${n}` }));

  test.each([
    ['as committed', committedConfig],
    ['in a region that is named', { ...(committedConfig as object), region: 'eu-central-1' }],
    ['of a hundred workspaces', { ...leastConfig(), workspaces }],
  ])('finds nothing in the stacks: %s', (_name, config) => {
    expect(Object.values(testStacks(config)).flatMap(findings)).toEqual([]);
  });

  test('would find what is wrong in a function or queue of this stack', () => {
    const stack = testStack();
    new Queue(stack, 'Open');
    stack.node.findAll().forEach(construct => {
      if (construct.node.path.endsWith('Poll/Role'))
        (construct as unknown as { addToPolicy(s: PolicyStatement): void }).addToPolicy(
          new PolicyStatement({ actions: ['dynamodb:*'], resources: ['*'] }),
        );
    });
    expect(findings(stack)).toEqual(
      expect.arrayContaining([
        'AwsSolutions-SQS4 Changewire/Open/Resource',
        'AwsSolutions-IAM5[Action::dynamodb:*] Changewire/Default/Poll/Role/DefaultPolicy/Resource',
        'AwsSolutions-IAM5[Resource::*] Changewire/Default/Poll/Role/DefaultPolicy/Resource',
      ]),
    );
  });

  test('is acknowledged on single resources only, each time with a reason, and only where it finds something', () => {
    const stack = testStack();
    const given = acknowledgements(stack);
    expect(given.length).toBeGreaterThan(0);
    for (const { reason } of given) expect(reason.length).toBeGreaterThan(40);
    const all = given.map(({ path, rule }) => `${rule} ${path}/Resource`);
    for (const { node } of stack.node.findAll())
      Object.defineProperty(node, 'metadata', {
        value: node.metadata.filter(({ type }) => type !== Validations.ACKNOWLEDGED_RULES_METADATA_KEY),
      });
    expect(findings(stack).sort()).toEqual(all.sort());
  });
});

test('the stacks name no account, region or partition, so they deploy anywhere', () => {
  const app = testApp();
  for (const stack of Object.values(testStacks(undefined, app))) {
    expect([stack.account, stack.region].every(each => each.includes('Token'))).toBe(true);
    const template = JSON.stringify(app.synth().getStackByName(stack.stackName).template);
    expect(template).not.toMatch(/arn:aws:|\b\d{12}\b/);
  }
});
