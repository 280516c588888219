import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deliverEnvironment } from '../../functions/settings.ts';
import { endpointKey } from '../../functions/snapshots/keys.ts';
import { environmentOf, resources, testTemplate } from './synthesise.ts';

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

  test("asks only for settings of an endpoint that the deliver function's environment has", () => {
    const { ENDPOINTS } = deliverEnvironment.parse(environmentOf(template, 'Deliver'));
    const asked = [...runbook.matchAll(/\$\(endpoint (\w+)\)/g)].map(([, key = '']) => key);
    expect(asked.length).toBeGreaterThan(10);
    for (const endpoint of ENDPOINTS) expect(Object.keys(endpoint)).toEqual(expect.arrayContaining(asked));
    expect(ENDPOINTS.map(({ name }) => name)).toContain(/^ENDPOINT=(.*)$/m.exec(runbook)?.[1]);
  });

  test('starts an endpoint again by deleting the item that stops it, and ends the alarm that says so', () => {
    const chapter = chapters.get('endpoint-stopped') ?? '';
    const [, json = ''] = /dynamodb delete-item .*--key "(.*)"\n/.exec(chapter) ?? [];
    const key = json.replaceAll('\\"', '"').replace('$ENDPOINT', 'example-webhook');
    expect(JSON.parse(key)).toEqual(endpointKey('example-webhook'));
    const [, alarm = ''] = /--alarm-name "(.*?)"/.exec(chapter) ?? [];
    const name = alarm.replace('$STACK', 'Changewire').replace('$ENDPOINT', 'example-webhook');
    template.hasResourceProperties('AWS::CloudWatch::Alarm', { AlarmName: name });
  });

  test('asks only for outputs that the stack has', () => {
    const asked = [...runbook.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name);
    expect(Object.keys(template.findOutputs('*'))).toEqual(expect.arrayContaining([...new Set(asked)]));
  });
});
