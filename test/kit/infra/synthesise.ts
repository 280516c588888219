import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, onTestFinished } from 'vitest';
import { rightConfigs } from '../../../functions/config/read.ts';
import type { ConfigInput } from '../../../functions/config/schema.ts';
import type { ChangewireStack } from '../../../infra/stack.ts';
import { stacksOf } from '../../../infra/stacks.ts';

const cdkJson = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8')) as {
  context: Record<string, unknown>;
};

/** The configuration that cdk.json comes with. */
export const committedConfig = cdkJson.context.changewire;

/** Without CDK's own rules: they take seconds, and `cdk synth` applies them. */
const WITHOUT_RULES = { builtinCloudFormationValidation: false };
const WITHOUT_BUNDLING = { 'aws:cdk:bundling-stacks': [] };

/** An app without any of the flags of a new one, and without bundling. */
export const WITHOUT_FLAGS = { ...WITHOUT_RULES, context: WITHOUT_BUNDLING };

/** An app as `cdk synth` makes it, but without bundling: with cdk.json's context, and an output directory
 *  that is removed after the test, or after all tests of the file. */
export function testApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), 'changewire-synth-'));
  const remove = () => rmSync(outdir, { recursive: true, force: true });
  // Inside a test only the first hook works, outside only the second.
  try {
    onTestFinished(remove);
  } catch {
    afterAll(remove);
  }
  return new App({ ...WITHOUT_RULES, context: { ...cdkJson.context, ...WITHOUT_BUNDLING }, outdir });
}

/** The stacks of a configuration, by default cdk.json's. */
export function testStacks(input: unknown = committedConfig, app = testApp()) {
  const [config] = rightConfigs(input);
  return stacksOf(app, config as ConfigInput);
}

/** The stack of all but the table and the subscriptions. */
export function testStack(config?: unknown, app = testApp()): ChangewireStack {
  return testStacks(config, app).stack;
}

/** The template, synthesised once for each configuration. */
export function testTemplate(config: unknown = committedConfig): Template {
  return templatesOf(config).whole;
}

/** The template of the subscriptions' stack. */
export function subscriptionsTemplate(config: unknown = committedConfig): Template {
  return templatesOf(config).subscriptions;
}

function templatesOf(config: unknown) {
  const key = JSON.stringify(config);
  const known = templates.get(key);
  if (known) return known;
  const { stack, subscriptions } = testStacks(config);
  const made = { whole: Template.fromStack(stack), subscriptions: Template.fromStack(subscriptions) };
  templates.set(key, made);
  return made;
}
const templates = new Map<string, { readonly whole: Template; readonly subscriptions: Template }>();

/** Synthesises the stacks of cdk.json into `outdir` with their bundles, as `cdk synth` does. */
export function synthesiseBundled(outdir: string): void {
  const app = new App({ ...WITHOUT_RULES, context: cdkJson.context, outdir });
  testStacks(committedConfig, app);
  app.synth();
}

/** One workspace with one process: the least that a configuration holds. */
export function leastConfig() {
  return {
    workspaces: [
      {
        name: 'eu',
        baseUrl: 'https://api.example.com',
        authUrl: 'https://auth.example.com',
        audience: 'https://audience.example.com',
        processes: [{ id: 'p1' }],
      },
    ],
  };
}

/** The resources of a type, by logical id. */
export function resources(template: Template, type: string): [string, Record<string, unknown>][] {
  return Object.entries(template.findResources(type)).map(([id, resource]) => [
    id,
    (resource as { Properties: Record<string, unknown> }).Properties,
  ]);
}

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** Every allowing statement of the roles whose logical id begins with `role`. */
export function allowed(template: Template, role: string): { actions: string[]; resources: unknown[] }[] {
  return resources(template, 'AWS::IAM::Policy')
    .filter(([, policy]) => JSON.stringify(policy.Roles).includes(`"${role}`))
    .flatMap(([, policy]) => (policy.PolicyDocument as { Statement: Statement[] }).Statement)
    .filter(statement => statement.Effect === 'Allow')
    .map(({ Action, Resource }) => ({ actions: [Action].flat(), resources: [Resource].flat() }));
}

/** A value of a template with references as text: `Id` for `Ref`, `Id.Arn` for an attribute, without the hash of the id. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, ...rest } = value as { Ref?: string };
  if (Ref !== undefined) return withoutHash(Ref);
  const {
    'Fn::GetAtt': attribute,
    'Fn::Join': join,
    'Fn::ImportValue': imported,
  } = rest as { 'Fn::GetAtt'?: string[]; 'Fn::Join'?: [string, unknown[]]; 'Fn::ImportValue'?: string };
  if (attribute) return `${withoutHash(attribute[0] ?? '')}.${attribute[1]}`;
  if (join) return join[1].map(plain).join(join[0]);
  // Another stack exports an attribute as `ExportsOutputFnGetAtt` or `ExportsOutputRef`, id, attribute and hash.
  if (imported)
    return imported.replace(/^.*Output(?:FnGetAtt|Ref)(\w+?)[0-9A-F]{8}(\w*)[0-9A-F]{8}$/, (_, id, of) =>
      of === '' ? id : `${id}.${of}`,
    );
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

const withoutHash = (id: string) => id.replace(/[0-9A-F]{8}$/, '');

/** The environment of a function as Lambda gives it: references become texts like those of AWS. */
export function environmentOf(template: Template, name: string): Record<string, string> {
  const found = resources(template, 'AWS::Lambda::Function').find(([id]) => id.startsWith(`${name}Function`));
  const { Variables = {} } = (found?.[1].Environment ?? {}) as { Variables?: Record<string, unknown> };
  const name80 = (id: string) => `Changewire-${id}-${'x'.repeat(13)}`.slice(0, 80);
  const text = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const { Ref, ...reference } = value as Record<string, unknown>;
    if (typeof Ref === 'string') return refText(template, Ref, name80(Ref));
    // Only the table's name is imported from another stack.
    if ('Fn::ImportValue' in reference) return `Changewire-Table-SnapshotsTable-${'x'.repeat(13)}`;
    const { 'Fn::GetAtt': [id, attribute] = [], 'Fn::Join': [, parts] = [] } = reference as {
      'Fn::GetAtt'?: [string, string] | [];
      'Fn::Join'?: [string, unknown[]] | [];
    };
    if (parts !== undefined) return parts.map(text).join('');
    if (id !== undefined && attribute === 'Arn')
      return `arn:aws:sqs:ap-southeast-1:123456789012:${name80(id)}`;
    throw new Error(`Don't know what ${JSON.stringify(value)} becomes.`);
  };
  return Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, text(value)]));
}

/** A text of a template as it would be in eu-central-1; other references are replaced by the name of what
 *  they refer to. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { Ref, 'Fn::Join': join } = value as { Ref?: string; 'Fn::Join'?: [string, unknown[]] };
  if (join) return join[1].map(textOf).join(join[0]);
  return Ref === 'AWS::Region' ? 'eu-central-1' : String(Ref);
}

/** What `Ref` returns: for a queue its URL, for a topic its ARN, for other resources the name. */
function refText(template: Template, id: string, name: string): string {
  if (id in template.findResources('AWS::SQS::Queue'))
    return `https://sqs.ap-southeast-1.amazonaws.com/123456789012/${name}`;
  return id in template.findResources('AWS::SNS::Topic')
    ? `arn:aws:sns:ap-southeast-1:123456789012:${name}`
    : name;
}
