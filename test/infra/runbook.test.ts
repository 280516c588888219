import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { environmentOf, resources, subscriptionsTemplate, testTemplate } from './synthesise.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const template = testTemplate();
const used = [template, subscriptionsTemplate()]
  .flatMap(each => resources(each, 'AWS::CloudWatch::Alarm'))
  .map(([, { AlarmDescription }]) => {
    const [, section = ''] = /docs\/runbook\.md#([a-z-]+)$/.exec(String(AlarmDescription)) ?? [];
    return section;
  });

/** The chapters, by the anchor that their heading gets. */
const chapters = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map(chapter => [chapter.split('\n', 1)[0]?.toLowerCase().replaceAll(' ', '-') ?? '', chapter]),
);

describe('the runbook', () => {
  test.each([...new Set(used)])('tells of %s what it is, how to look into it, and the way out', section => {
    expect(chapters.get(section)).toMatch(/### Description.+### Investigation.+```sh.+### Resolution.+/s);
  });

  test('has no chapter that no alarm leads to, beside the general ones', () => {
    const others = [...chapters.keys()].filter(section => !used.includes(section));
    expect(others).toEqual(['before-you-begin', 'rotate-a-signing-secret', 'change-an-address', 'replay']);
  });

  test('gives commands that a shell can read', () => {
    const commands = [...runbook.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) execFileSync('bash', ['-n'], { input: command });
  });

  test('leads only to chapters that are there', () => {
    const asked = [...runbook.matchAll(/\]\(#([a-z-]+)\)/g)].map(([, section]) => section);
    expect(asked).toContain('change-an-address');
    expect([...chapters.keys()]).toEqual(expect.arrayContaining(asked));
  });

  test('looks up the rows of an endpoint where they are, and its secrets where the deliver function reads them', () => {
    const [, name = ''] = /^ENDPOINT=(.*)$/m.exec(runbook) ?? [];
    const { SECRETS_PATH = '' } = environmentOf(template, 'Deliver');
    const asked = shell(
      `aws() { printf '%s\\n' "$@"; }; output() { echo "the $1"; }; rows PENDING --select COUNT; parameter`,
    );
    expect(asked).toContain(`{":pk":{"S":"ENDPOINT#${name}"},":sk":{"S":"PENDING#"}}`);
    expect(asked).toContain(`the SecretsPath${name}`);
    expect(template.findOutputs('SecretsPath').SecretsPath?.Value).toBe(SECRETS_PATH);
  });

  test('asks only for outputs that the stacks have', () => {
    const asked = [...runbook.matchAll(/\$\(output (\w+)(?: "\$STACK(-\w+)")?\)/g)];
    expect(asked.length).toBeGreaterThan(50);
    const outputs = { '': template, '-Subscriptions': subscriptionsTemplate() };
    for (const [, name = '', stack = ''] of asked)
      expect(Object.keys(outputs[stack as keyof typeof outputs].findOutputs('*'))).toContain(name);
  });
});

/** What the functions of "Before you begin" print. */
function shell(commands: string): string {
  const [, functions = ''] = /```sh\n(STACK=.*?)```/s.exec(runbook) ?? [];
  const input = `${functions.replace(/^PK=.*$/m, '')}\n${commands}`;
  return execFileSync('bash', [], { input, encoding: 'utf8' });
}
