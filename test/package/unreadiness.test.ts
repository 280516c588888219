import { describe, expect, test } from 'vitest';
import { unreadiness } from '../../package/unreadiness.ts';

const READY = {
  version: '1.2.3',
  changelog: '# Changes\n\n## 1.2.3 (2026-01-31)\n\n## 1.2.2 (2026-01-01)\n',
  changed: '',
};

describe('a release', () => {
  test('is of a commit whose version CHANGELOG.md begins with', () => {
    expect(unreadiness(READY)).toBe(undefined);
  });

  test('waits for what is not committed', () => {
    expect(unreadiness({ ...READY, changed: ' M package.json\n' })).toMatch(
      /^There are uncommitted changes: /,
    );
  });

  test.each([
    '## Unreleased',
    '## 1.2.2 (2026-01-01)',
    '## 1.2.3',
    '## 1x2.3 (2026-01-31)',
    '## 1.2.3 (soon)',
  ])('waits for its entry in CHANGELOG.md, where that begins with "%s"', heading => {
    const changelog = `# Changes\n\n${heading}\n\n## 1.2.3 (2026-01-31)\n`;
    expect(unreadiness({ ...READY, changelog })).toBe(
      `The first heading of CHANGELOG.md must be "## 1.2.3 (YYYY-MM-DD)", the version of package.json; found "${heading}".`,
    );
  });

  test('waits for a CHANGELOG.md with entries', () => {
    expect(unreadiness({ ...READY, changelog: '# Changes\n' })).toMatch(
      /^The first heading of CHANGELOG\.md must be /,
    );
  });
});
