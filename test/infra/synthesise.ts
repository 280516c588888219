import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { readConfig } from '../../infra/config/read.ts';
import { ChangewireStack } from '../../infra/stack.ts';

const cdkJson = JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')) as {
  context: Record<string, unknown>;
};

/** The configuration that cdk.json comes with. */
export const committedConfig = cdkJson.context.changewire;

/** An app as `cdk synth` makes it, but without bundling: its context is cdk.json's, its output a directory that
 *  goes when the tests of the file are through. */
export function testApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), 'changewire-synth-'));
  afterAll(() => rmSync(outdir, { recursive: true, force: true }));
  return new App({ context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] }, outdir });
}

/** The stack of a configuration, by default cdk.json's. */
export function testStack(config: unknown = committedConfig, app = testApp()): ChangewireStack {
  return new ChangewireStack(app, readConfig(config));
}

export function testTemplate(config?: unknown): Template {
  return Template.fromStack(testStack(config));
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
