import * as fc from 'fast-check';
import type { Committed } from '../../../console/model/committed.ts';
import { ANY_CHARACTER } from '../any-character.ts';

/** An event of a task, as the journal has it. */
export function taskEvent(part: {
  readonly id?: string;
  readonly at?: string;
  readonly type?: string;
  readonly process?: string;
  readonly project?: { readonly id: string; readonly name?: string };
  readonly task?: { readonly id: string; readonly name?: string; readonly record?: object };
  readonly changes?: readonly object[];
  readonly actors?: readonly object[];
}): Committed {
  const {
    id = 'onboarding.1.1795343837811.0',
    at = '2026-11-22T10:00:00.000Z',
    type = 'task.updated',
  } = part;
  const { process = 'onboarding', project = { id: '1', name: 'Onboarding' }, task, changes = [] } = part;
  return {
    committedAt: at,
    event: {
      id,
      type,
      source: `/workspaces/eu/processes/${process}`,
      data: {
        process: { id: process },
        project,
        ...(task && { task }),
        changes,
        observed: { after: at, before: at },
        ...(part.actors && { actors: part.actors }),
      },
    },
  };
}

/** A changed field as the journal has it. */
export function fieldChange(field: string, from: unknown, to: unknown, more: object = {}) {
  return { field, name: field, kind: 'builtin', type: 'string', from, to, ...more };
}

/** Texts that people and attackers write. */
export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: ANY_CHARACTER, maxLength: 40 }) },
  fc.constantFrom(
    '<script>alert(1)</script>',
    '=HYPERLINK("http://evil.example")',
    '-1+1|cmd',
    '@SUM(A1)',
    '\t=1',
    ';=1+1',
    '\u202Emurad',
    '\u0000\u0007',
    '\uD800',
    'שלום',
    '👩‍👩‍👧‍👦',
    'Z\u0338\u0322'.repeat(50),
    'x'.repeat(5_000),
    '__proto__',
    '',
  ),
);

/** Events about all kinds of records, including ones that no version of Changewire writes. */
export const hostileEvent: fc.Arbitrary<Committed> = fc.record({
  committedAt: fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
    .map(date => date.toISOString()),
  event: fc.record({
    id: fc.string({ minLength: 1 }),
    type: fc.oneof(
      fc.constantFrom('task.updated', 'task.created', 'project.deleted', 'source.held', 'field.updated'),
      hostileText,
    ),
    source: fc.oneof(fc.constant('/workspaces/eu/processes/launch'), hostileText),
    data: fc.oneof(
      fc.record(
        {
          process: fc.record({ id: hostileText }),
          project: fc.record({ id: hostileText, name: hostileText }, { requiredKeys: ['id'] }),
          task: fc.record({ id: hostileText, name: hostileText }, { requiredKeys: ['id'] }),
          reason: hostileText,
          missing: fc.nat(),
          actors: fc.array(fc.record({ id: hostileText, name: hostileText }, { requiredKeys: ['id'] }), {
            maxLength: 5,
          }),
          changes: fc.array(
            fc.record(
              {
                field: hostileText,
                name: hostileText,
                kind: fc.constantFrom('custom', 'builtin'),
                type: hostileText,
                from: fc.oneof(hostileText, fc.jsonValue()),
                to: fc.oneof(hostileText, fc.jsonValue()),
                added: fc.array(fc.oneof(hostileText, fc.jsonValue()), { maxLength: 3 }),
                removed: fc.array(fc.oneof(hostileText, fc.jsonValue()), { maxLength: 3 }),
              },
              { requiredKeys: ['field', 'name', 'kind', 'type', 'from', 'to'] },
            ),
            { maxLength: 12 },
          ),
        },
        { requiredKeys: ['process'] },
      ),
      fc.dictionary(
        fc.constantFrom('process', 'project', 'task', 'field', 'changes', 'observed', 'reason', 'actors'),
        fc.jsonValue(),
      ),
      fc.record({
        project: fc.record({ id: fc.jsonValue(), name: fc.jsonValue() }),
        changes: fc.array(fc.jsonValue()),
        actors: fc.array(fc.jsonValue()),
      }),
      fc.jsonValue(),
    ),
  }),
}) as fc.Arbitrary<Committed>;
