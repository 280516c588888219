import { NestedStack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { synthesised } from '../kit/infra/construct.ts';
import { leastConfig, resources, testTemplate } from '../kit/infra/synthesise.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: unknown;
  readonly DependsOn?: string | readonly string[];
}

/** The logical ids of a type. */
function idsOf(template: Template, type: string): string[] {
  return Object.keys(template.findResources(type));
}

/** The logical ids of all resources that CloudFormation makes before this one: by `DependsOn` and by references, of
 *  its own and of theirs. */
function madeBefore(template: Template, id: string): Set<string> {
  const resources = template.toJSON().Resources as Record<string, Resource>;
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const each of directly(resources[next])) {
      if (!(each in resources) || found.has(each)) continue;
      found.add(each);
      open.push(each);
    }
  return found;
}

function directly(resource: Resource | undefined): string[] {
  return [...[resource?.DependsOn ?? []].flat(), ...references(resource?.Properties)];
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'Ref') return [String(inner)];
    if (key === 'Fn::GetAtt') return [String([inner].flat()[0]).split('.')[0] ?? ''];
    if (key === 'Fn::Sub')
      return [...String([inner].flat()[0]).matchAll(/\$\{([A-Za-z0-9]+)/g)].map(([, id = '']) => id);
    return references(inner);
  });
}

const subscriptions = ['one', 'two'].map(name => ({ name, url: `https://receiver.example.com/${name}` }));

/** What starts publishing: the reader of the stream, and what starts passes. */
function starters(template: Template): string[] {
  const stream = idsOf(template, 'AWS::Lambda::EventSourceMapping').filter(id => /PublishStream/.test(id));
  const tick = idsOf(template, 'AWS::Lambda::Function').filter(id => /TickFunction/.test(id));
  return [...stream, ...tick, ...idsOf(template, 'AWS::Scheduler::Schedule')].sort();
}

/** What starts publishing is made after these. */
function expectBeforeStart(template: Template, ids: string[]): void {
  const all = starters(template);
  expect([all.length, ids.length]).toEqual([3, expect.toSatisfy((count: number) => count > 0)]);
  for (const id of all) expect([...madeBefore(template, id)]).toEqual(expect.arrayContaining(ids));
}

describe('no event is published before', () => {
  test('the queue of events is subscribed', () => {
    const template = testTemplate({ ...leastConfig(), subscriptions });
    const subscribed = idsOf(template, 'AWS::SNS::Subscription').filter(id => id.startsWith('Queues'));
    expect(subscribed).toHaveLength(1);
    expectBeforeStart(template, subscribed);
  });

  test('the native subscriptions of the same stack are made', () => {
    const { template } = synthesised(() => ({ subscriptions }));
    expect(idsOf(template, 'AWS::SNS::Subscription')).toHaveLength(3);
    expectBeforeStart(template, idsOf(template, 'AWS::SNS::Subscription'));
  });

  test('a stack nested in it is made, with the native subscriptions in it', () => {
    const { template } = synthesised(stack => ({
      subscriptions,
      subscriptionsIn: new NestedStack(stack, 'Receivers'),
    }));
    expectBeforeStart(template, idsOf(template, 'AWS::CloudFormation::Stack'));
  });
});

test('no function is made before everything that it is allowed', () => {
  const { template } = synthesised(() => ({ subscriptions }));
  const policies = resources(template, 'AWS::IAM::Policy');
  for (const [id, { Role }] of resources(template, 'AWS::Lambda::Function')) {
    const {
      'Fn::GetAtt': [role],
    } = Role as { 'Fn::GetAtt': [string] };
    const own = policies.filter(([, { Roles }]) => JSON.stringify(Roles).includes(`"${role}"`));
    expect(own.length).toBeGreaterThan(0);
    expect([...madeBefore(template, id)]).toEqual(expect.arrayContaining(own.map(([policy]) => policy)));
  }
});
