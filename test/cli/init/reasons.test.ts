import { describe, expect, it } from 'vitest';
import { settingsWithReasons } from '../../../cli/init/reasons.ts';
import type { Judged } from '../../../functions/doctor/finding.ts';
import { judgeIdentifier, judgeStability } from '../../../functions/doctor/records.ts';
import { judgeLag } from '../../../functions/doctor/updates.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();

/** What `init` makes of findings, as the doctor answers them. */
function reasons({ settings = {}, ...finding }: Judged) {
  return settingsWithReasons({
    ...{ at: at(0), workspace: 'eu', process: 'launch', findings: [finding] },
    settings: { workspace: { ...settings.workspace }, process: { ...settings.process } },
  });
}

describe('the reason of a setting', () => {
  it('that names an identifier is what was found of that record', () => {
    const finding = judgeIdentifier('task', [{ taskKey: 'a' }, { taskKey: 'b' }], []);
    expect(reasons(finding).workspace).toEqual([
      {
        key: 'identifiers',
        value: { task: 'taskKey' },
        why: { 'task identifiers': 'A task is identified by taskKey (strings).' },
      },
    ]);
  });

  it('that makes the overlap longer is how late updates are shown', () => {
    expect(reasons(judgeLag(90_000, { asked: [], came: 'late' })).process).toMatchObject([
      {
        key: 'overlap',
        value: '5m',
        why: { 'updatedAfter shows updates': expect.stringContaining('late, by 90 s') },
      },
    ]);
  });

  it('that ignores a field is that it changes by itself', () => {
    const seen = { name: 'seen', before: at(-60_000), after: at(0) };
    expect(reasons(judgeStability([seen], [], NOW)).process).toMatchObject([
      {
        key: 'ignoreFields',
        value: ['seen'],
        why: { 'fields that change by themselves': expect.stringContaining('seen changed') },
      },
    ]);
  });
});
