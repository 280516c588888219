import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LAYOUT } from '../../functions/store/sqlite/database.ts';
import { run } from '../kit/local/run.ts';
import { KEPT, keptVersions, ONCE, openKept, versionsThatIt } from '../kit/package/kept.ts';
import { ROOT } from '../kit/package/loaded.ts';
import { alterStore, committedEvents } from '../kit/store-file.ts';

const newest = keptVersions.at(-1) ?? '';
/** The layout that version 0.1.0 wrote. */
const OLDEST = 5;
const YEAR_MS = 365.25 * 86_400_000;

const onceIn = (folder: string) => ONCE.replace('changewire.json', join(folder, 'changewire.json'));

/** One pass of each process. */
async function once(folder: string, environment: Record<string, string>, clock = Date.now) {
  const only = run(folder, onceIn(folder), environment, { clock });
  const code = await only.ended();
  return { code, events: only.events(), said: only.stderr() };
}

describe.each(versionsThatIt('continues'))('over the data of version %s', version => {
  test.each([
    ['today', 0],
    ['in ten years', 10 * YEAR_MS],
  ])('%s, this version tells what has changed since, and nothing else', async (_, ms) => {
    const clock = () => Date.now() + ms;
    const { folder, service, credentials } = await openKept(version, clock);
    const before = committedEvents(join(folder, 'data'));
    const [project] = service.workspace.projects('plain');
    service.workspace.updateProject('plain', String(project?.id), { summary: 'changed since' });

    const began = clock();
    const { code, events, said } = await once(folder, credentials, clock);
    expect(code, said).toBe(0);
    expect(events).toEqual([
      expect.objectContaining({
        type: 'project.updated',
        data: expect.objectContaining({
          project: expect.objectContaining({ id: project?.id }),
          changes: [
            expect.objectContaining({
              from: expect.stringMatching(/^(told|emitted) before the upgrade$/),
              to: 'changed since',
            }),
          ],
        }),
      }),
    ]);
    // Versions are of our clock.
    expect(Number(events[0]?.sequence)).toBeGreaterThan(began);
    expect(said).not.toMatch(/baseline|for the first time/);
    expect(said).toMatch(
      /^\S+ {2}plain: \d projects? read, 1 event emitted\n(.*\n)*\S+ {2}audited: \d projects? read, 0 events emitted$/m,
    );
    // What is kept for 30 days, events and which audit entries were emitted, is deleted after ten years.
    expect(committedEvents(join(folder, 'data'))).toEqual([...(ms === 0 ? before : []), ...events]);
    expect(await once(folder, credentials, clock)).toMatchObject({ code: 0, events: [] });
  });

  test('this version tells a new audit entry once, and none that was told before', async () => {
    const { folder, service, credentials } = await openKept(version);
    const [project] = service.workspace.projects('audited');
    service.workspace.updateProject('audited', String(project?.id), { summary: 'changed since' });
    const { events } = await once(folder, credentials);
    expect(events.map(({ type }) => type).toSorted()).toEqual(['audit.recorded', 'project.updated']);
    expect(await once(folder, credentials)).toMatchObject({ code: 0, events: [] });
  });
});

// For the table of a stack: test/store/layout.test.ts and dynamo/store.test.ts.
describe('data that this version can not read', () => {
  test.each([
    ['an earlier', OLDEST - 1],
    ['a later', LAYOUT + 1],
  ])('of %s layout are refused in one line that says what to do, and left as they are', async (_, layout) => {
    const { folder, credentials } = await openKept(newest);
    alterStore(join(folder, 'data'), `PRAGMA user_version = ${layout}`);
    expect(await refusal(folder, credentials)).toContain(` has layout ${layout}, `);
  });

  test.each(versionsThatIt('refuses'))('of version %s are refused like that', async version => {
    const { folder, credentials } = await openKept(version);
    expect(await refusal(folder, credentials)).toContain(' has layout ');
  });
});

/** The one line by which this version refuses the data in a folder. They are left as they are. */
async function refusal(folder: string, credentials: Record<string, string>): Promise<string> {
  const file = join(folder, 'data/changewire.sqlite');
  const before = readFileSync(file);
  const { code, events, said } = await once(folder, credentials);
  expect([code, events]).toEqual([1, []]);
  expect(readFileSync(file)).toEqual(before);
  const [line = '', ...others] = said.split('\n').filter(each => each.startsWith('changewire: '));
  expect(others).toEqual([]);
  expect(line).toMatch(
    /but this version reads only layouts \d+ to \d+\. The file is unchanged\. Start the version that wrote it, or choose another directory with --data DIR: /,
  );
  return line;
}

describe('what is kept here', () => {
  test.each(keptVersions)('of version %s holds no secret', version => {
    const place = join(KEPT, version);
    expect(readdirSync(place)).toEqual(['changewire.json', 'changewire.sqlite', 'service.json']);
    for (const name of readdirSync(place))
      expect(readFileSync(join(place, name), 'latin1')).not.toMatch(/simulated-secret|whsec_|PRIVATE KEY/);
  });

  test('is what each released version left', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, name]) => name);
    expect(keptVersions).toEqual(expect.arrayContaining(released.filter(name => name !== version)));
  });

  test('is taken or refused, as docs/versions.md says of each version', () => {
    expect([...versionsThatIt('continues'), ...versionsThatIt('refuses')].toSorted()).toEqual(
      keptVersions.toSorted(),
    );
  });
});
