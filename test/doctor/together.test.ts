import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_FREEDOMS } from '../../simulator/data/freedoms.ts';
import { drawnFreedoms } from '../kit/doctor/drawn-freedoms.ts';
import { expectedOf } from '../kit/doctor/expected.ts';
import { lively } from '../kit/doctor/lively.ts';
import { findingOf } from '../kit/doctor/setup.ts';

test('whatever freedoms a service takes, the doctor names each, and invents none', async () => {
  await fc.assert(
    fc.asyncProperty(drawnFreedoms, async drawn => {
      const freedoms = { ...DEFAULT_FREEDOMS, ...drawn };
      const { examine, service } = lively(freedoms);
      const answer = await examine();
      for (const [topic, found] of expectedOf(freedoms))
        expect({ topic, found: findingOf(answer, topic).found }).toEqual({
          topic,
          found: expect.stringMatching(found),
        });
      expect(answer.findings.filter(({ came }) => /undefined|sends at most/.test(came))).toEqual([]);
      expect(service.requests.length).toBeLessThan(150);
    }),
    { numRuns: 60 },
  );
});
