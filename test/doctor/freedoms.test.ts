import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '../../functions/operations/protocol/answers.ts';
import { DEFAULT_FREEDOMS, type Freedoms } from '../../simulator/data/freedoms.ts';
import { drawnFreedoms, OTHERS } from '../kit/doctor/drawn-freedoms.ts';
import { expectedOf } from '../kit/doctor/expected.ts';
import { lively } from '../kit/doctor/lively.ts';
import { expectFinding, findingOf } from '../kit/doctor/setup.ts';

const single = Object.entries(OTHERS).flatMap(([name, values]) => values.map(value => ({ [name]: value })));

test.each([{}, ...single])('the doctor names the freedom that a service takes: %j', async freedoms => {
  await expectNamed(freedoms);
});

test('whatever freedoms a service takes, the doctor names each, and invents none', async () => {
  await fc.assert(fc.asyncProperty(drawnFreedoms, expectNamed), { numRuns: 60 });
});

async function expectNamed(drawn: Partial<Freedoms>): Promise<void> {
  const freedoms = { ...DEFAULT_FREEDOMS, ...drawn };
  const { examine, service } = lively(freedoms);
  const answer = await examine();
  for (const [topic, found] of expectedOf(freedoms))
    expect(findingOf(answer, topic).found, topic).toMatch(found);
  expect(answer.findings.filter(({ came }) => /undefined|sends at most/.test(came))).toEqual([]);
  expect(service.requests.length).toBeLessThan(150);
}

/** What no freedom in `OTHERS` shows, and what is a setting or a warning. */
test.each<[Partial<Freedoms>, topic: string, verdict: Finding['verdict'], found: RegExp]>([
  [{ tokenLifetime: 20 }, 'token life', 'warning', /valid for 20 s/],
  [{ dateHeader: false }, 'clock', 'setting', /no usable Date header/],
  [{ auditDenied: 403 }, 'audit log', 'setting', /denied/],
  [{ auditRetention: 6 }, 'audit log keeps', 'fine', /Old entries were removed.*6 entries/],
  [{ auditTimestamps: false }, 'audit log order', 'unknown', /no timestamp/],
  [
    { auditShape: 'flat' },
    'audit log names users',
    'fine',
    /^[1-9]\d* of \d+ entries name a user and a time/,
  ],
  [{ recordTimestamps: false }, 'update times', 'warning', /have no update time/],
  [{ updateTimeName: 'tsm' }, 'update times', 'setting', /^tsm: /],
  [{ timestampResolution: 60_000 }, 'resolution of update times', 'warning', /multiples of 60 s/],
  [{ taskEditsTouchProject: false }, 'task edits', 'warning', /do not change/],
  [
    { maxResponseBytes: 2_000 },
    'page size of projects',
    'setting',
    /A page of 12 fails \(413\), one of 6 works/,
  ],
  [{ updatesVisibleAfter: 12_000 }, 'updatedAfter shows updates', 'fine', /appears within 1[2-9] s/],
  [{ updatesVisibleAfter: 50_000 }, 'updatedAfter shows updates', 'warning', /late, by 1\d s or more/],
  [{ auditVisibleAfter: 90_000 }, 'audit log shows edits', 'warning', /no entry for the last update/],
])('%j: %s is %s', async (freedoms, ...finding) => {
  expectFinding(await lively(freedoms).examine(), ...finding);
});
