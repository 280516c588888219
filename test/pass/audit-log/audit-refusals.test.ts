import { describe, expect, it } from 'vitest';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { readAudit } from '../../../functions/pass/audit-log/read-audit.ts';
import type { PassContext } from '../../../functions/pass/context/context.ts';
import { ServiceStatusError } from '../../../functions/service/errors.ts';

const status = (code: number) => new ServiceStatusError('GET /auditlog', code, 'refused');
const at = (tail: string | undefined): AuditPosition => ({ order: 'oldest-first', tail, seen: [] });

/** Reads a log that answers each request with the next of these: an error, or a page without entries. */
function reading(position: AuditPosition | undefined, ...answers: (Error | undefined)[]) {
  return readingWith({}, position, ...answers);
}

function readingWith(
  settings: { readonly auditLog?: boolean },
  position: AuditPosition | undefined,
  ...answers: (Error | undefined)[]
) {
  const said: [string, string, object][] = [];
  let requests = 0;
  const context = {
    process: { workspace: 'w', processId: 'p' },
    settings,
    before: { watermark: 0 },
    clock: () => 0,
    stopAt: 900_000,
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
    heartbeat: { beat: async () => undefined },
  } as unknown as PassContext;
  return { read: readAudit(context, position), said, requests: () => requests };
}

describe('an audit log that is refused', () => {
  it('by the configuration is not asked for, its place is kept, and nobody is told', async () => {
    const { read, said, requests } = readingWith({ auditLog: false }, at('c1'));
    expect(await read).toEqual({ entries: [], readAt: 0, position: at('c1'), isDenied: true });
    expect([said, requests()]).toEqual([[], 0]);
  });

  it.each([
    [403, undefined],
    [403, 'c1'],
    [404, undefined],
  ])('by %i, read from %s, is done without, and its place is kept', async (code, tail) => {
    const { read, said } = reading(at(tail), status(code));
    expect(await read).toEqual({ entries: [], readAt: 0, position: at(tail), isDenied: true });
    expect(said).toEqual([
      [
        'audit-denied',
        expect.stringMatching(/^The audit log cannot be read.*emitted by the next sweep/s),
        { error: `GET /auditlog: status ${code}: refused` },
      ],
    ]);
  });

  it.each([
    [400, undefined],
    [401, undefined],
    [401, 'c1'],
    [408, 'c1'],
    [429, 'c1'],
    [500, 'c1'],
    [503, 'c1'],
    [500, undefined],
  ])('by %i, read from %s, stops the pass', async (code, tail) => {
    const refusal = status(code);
    await expect(reading(at(tail), refusal).read).rejects.toBe(refusal);
    await expect(reading(tail === undefined ? undefined : at(tail), refusal).read).rejects.toBe(refusal);
  });

  it('by anything that is no status stops the pass', async () => {
    const broken = Object.assign(new Error('broken'), { status: 403 });
    await expect(reading(at('c1'), broken).read).rejects.toBe(broken);
  });

  it.each([400, 404, 410, 499])(
    'by %i at the place that was kept is read from its beginning, and that is said',
    async code => {
      const { read, said, requests } = reading(at('c1'), status(code));
      expect(await read).toEqual({
        entries: [],
        readAt: 0,
        position: { order: 'oldest-first', tail: undefined, seen: [], readAt: 0 },
      });
      expect(requests()).toBe(2);
      expect(said).toEqual([
        [
          'warn',
          'The position in the audit log was lost; the log was read from its beginning.',
          {
            workspace: 'w',
            processId: 'p',
            code: 'audit-position-lost',
            error: `GET /auditlog: status ${code}: refused`,
          },
        ],
      ]);
    },
  );

  it.each([403, 404])('from its beginning too, by %i, is done without, and its place is kept', async code => {
    const { read, said } = reading(at('c1'), status(400), status(code));
    expect(await read).toEqual({ entries: [], readAt: 0, position: at('c1'), isDenied: true });
    expect(said.map(([code]) => code)).toEqual(['audit-denied']);
  });

  it.each([status(500), status(400), Object.assign(new Error('broken'), { status: 404 })])(
    'from its beginning by another failure stops the pass: %s',
    async failure => {
      await expect(reading(at('c1'), status(400), failure).read).rejects.toBe(failure);
    },
  );
});
