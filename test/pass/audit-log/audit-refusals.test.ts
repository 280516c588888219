import { describe, expect, it } from 'vitest';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { readAudit } from '../../../functions/pass/audit-log/read-audit.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { ServiceStatusError } from '../../../functions/service/errors.ts';

const status = (code: number) => new ServiceStatusError('GET /auditlog', code, 'refused');
/** An error with a status, but not of the service. */
const broken = (code: number) => Object.assign(new Error('broken'), { status: code });
const at = (tail: string | undefined): AuditPosition => ({ order: 'oldest-first', tail, seen: [] });
const denied = (tail: string | undefined) => ({ entries: [], readAt: 0, position: at(tail), isDenied: true });

/** Reads a log that answers each request with the next of these: an error, or a page without entries. */
function reading(position: AuditPosition | undefined, answers: (Error | undefined)[], settings: object = {}) {
  const said: [string, string, object][] = [];
  let requests = 0;
  const context = {
    ...{ process: { workspace: 'w', processId: 'p' }, settings, before: { watermark: 0 } },
    ...{ clock: () => 0, stopAt: 900_000, heartbeat: { beat: async () => undefined } },
    log: { warn: (message: string, details: object) => said.push(['warn', message, details]) },
    service: {
      async *auditLog(_process: string, after: string | undefined) {
        const answer = answers[requests++];
        if (answer) throw answer;
        yield { items: [], readAt: 0, clock: 'service', after, hasNextPage: false };
      },
    },
    reports: {
      once: (code: string, message: string, details: object) => said.push([code, message, details]),
    },
  } as unknown as PassContext;
  return { read: readAudit(context, position), said, requests: () => requests };
}

describe('an audit log that is refused', () => {
  it('by the configuration is not asked for, and its place is kept', async () => {
    const { read, said, requests } = reading(at('c1'), [], { auditLog: false });
    expect([await read, said, requests()]).toEqual([denied('c1'), [], 0]);
  });

  it.each([
    [403, undefined],
    [403, 'c1'],
    [404, undefined],
  ])('by %i, read from %s, is done without, and its place is kept', async (code, tail) => {
    const { read, said } = reading(at(tail), [status(code)]);
    expect(await read).toEqual(denied(tail));
    const message = expect.stringMatching(/^The audit log cannot be read.*emitted by the next sweep/s);
    expect(said).toEqual([['audit-denied', message, { error: `GET /auditlog: status ${code}: refused` }]]);
  });

  it.each<[refusal: Error, tail: string | undefined]>([
    [status(400), undefined],
    ...[401, 408, 429, 500, 503].map(code => [status(code), 'c1'] as [Error, string]),
    [status(401), undefined],
    [status(500), undefined],
    [broken(403), 'c1'],
  ])('by %s, read from %s, stops the pass', async (refusal, tail) => {
    await expect(reading(at(tail), [refusal]).read).rejects.toBe(refusal);
    if (tail === undefined) await expect(reading(undefined, [refusal]).read).rejects.toBe(refusal);
  });

  it.each([400, 404, 410, 499])(
    'by %i at the place that was kept is read from its beginning, with a warning',
    async code => {
      const { read, said, requests } = reading(at('c1'), [status(code)]);
      expect(await read).toEqual({ entries: [], readAt: 0, position: { ...at(undefined), readAt: 0 } });
      expect(requests()).toBe(2);
      const details = { workspace: 'w', processId: 'p', code: 'audit-position-lost' };
      expect(said).toEqual([
        [
          'warn',
          'The position in the audit log was lost; the log was read from its beginning.',
          { ...details, error: `GET /auditlog: status ${code}: refused` },
        ],
      ]);
    },
  );

  it.each([403, 404])('from its beginning too, by %i, is done without, and its place is kept', async code => {
    const { read, said } = reading(at('c1'), [status(400), status(code)]);
    expect(await read).toEqual(denied('c1'));
    expect(said.map(([code]) => code)).toEqual(['audit-denied']);
  });

  it.each([status(500), status(400), broken(404)])(
    'from its beginning by another failure stops the pass: %s',
    async failure => {
      await expect(reading(at('c1'), [status(400), failure]).read).rejects.toBe(failure);
    },
  );
});
