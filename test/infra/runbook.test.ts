import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resources, testTemplate } from './synthesise.ts';

const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
const template = testTemplate();
const used = resources(template, 'AWS::CloudWatch::Alarm').map(([, { AlarmDescription }]) => {
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
    expect(others).toEqual(['before-you-begin', 'replay']);
  });

  test('gives commands that a shell can read', () => {
    const commands = [...runbook.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block);
    expect(commands.length).toBeGreaterThan(10);
    for (const command of commands) execFileSync('bash', ['-n'], { input: command });
  });

  test('asks only for outputs that the stack has', () => {
    const asked = [...runbook.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name);
    expect(Object.keys(template.findOutputs('*'))).toEqual(expect.arrayContaining([...new Set(asked)]));
  });
});
