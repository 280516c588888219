import { App, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import { describe, expect, test } from 'vitest';
import { type ChangewireProps, SnapshotTable } from '../../infra/index.ts';
import { readDocument } from '../kit/docs/documents.ts';
import { constructIn } from '../kit/infra/construct.ts';
import {
  committedConfig,
  leastConfig,
  testApp,
  testStack,
  testStacks,
  WITHOUT_FLAGS,
} from '../kit/infra/synthesise.ts';

/** What cdk-nag finds: rule and path, for each. */
const findings = (scope: IConstruct): string[] =>
  new AwsSolutionsChecks(scope)
    .validateScope(scope)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );

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
  const subscriptions = [{ name: 'planner', url: 'https://receiver.example.com' }];
  const VPC = { vpcId: 'vpc-1', availabilityZones: ['a'], privateSubnetIds: ['subnet-1'] };
  const rotated = (stack: Stack) => new Key(stack, 'Key', { enableKeyRotation: true });

  test.each([['as committed', committedConfig]])('finds nothing in the stacks: %s', (_name, config) => {
    expect(Object.values(testStacks(config)).flatMap(findings)).toEqual([]);
  });

  test.each<[string, (stack: Stack) => object]>([
    ['with a hundred workspaces', () => ({ workspaces })],
    ['with a key', stack => ({ subscriptions, encryptionKey: rotated(stack) })],
    ['with nothing kept', () => ({ subscriptions, removalPolicy: RemovalPolicy.DESTROY })],
    ['in a VPC', stack => ({ vpc: Vpc.fromVpcAttributes(stack, 'Vpc', VPC) })],
    ['with a table of its own', stack => ({ snapshots: new SnapshotTable(stack, 'Kept') })],
  ])('finds nothing in an app without feature flags: %s', (_name, props) => {
    for (const env of [undefined, { account: '123456789012', region: 'eu-central-1' }]) {
      const app = new App(WITHOUT_FLAGS);
      const stack = new Stack(app, 'Events', env && { env });
      constructIn(stack, props(stack) as Partial<ChangewireProps>);
      expect(findings(stack)).toEqual([]);
    }
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

/** `installed.long.test.ts` runs it, over the package. */
test('the app in docs/deploying.md has at most twenty lines', () => {
  const [, app = ''] = /```ts\n(.*?)```/s.exec(readDocument('docs/deploying.md')) ?? [];
  expect(app.split('\n').filter(Boolean).length).toBeLessThanOrEqual(20);
  expect(app).not.toBe('');
});
