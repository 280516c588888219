import { expect, it } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { chatMessages } from '../../functions/delivery/kinds.ts';
import type { EndpointKind, KindSettings } from '../../functions/model/kinds.ts';
import { builtIn, change, commitOf, field } from '../kit/delivery/chat-batches.ts';

/** What a chat shows of one changed field. */
function shown(changed: ReturnType<typeof field>, settings: KindSettings, kind: EndpointKind = 'text') {
  const events = commitOf([change('t', 'Task', [changed])]);
  const endpoint = { name: 'ops', kind, ...settings };
  const [message] = chatMessages(events, { endpoint });
  return message?.body.replaceAll('\u2060', '') ?? '';
}

const valued = (type: string | undefined, from: Json, to: Json) => ({
  ...field('Due', from, to, { type: type ?? 'string', kind: type ? 'custom' : 'builtin' }),
});

const BERLIN = { locale: 'de-DE', timeZone: 'Europe/Berlin' };

it.each<[locale: KindSettings, type: string | undefined, from: Json, to: Json, text: string]>([
  [{}, 'date', '2026-12-01', '2026-12-08', '2026-12-01 → 2026-12-08'],
  [{}, 'number', '1234.50', '2000', '1234.50 → 2000'],
  [{ locale: 'de-DE' }, 'date', '2026-12-01', '2026-12-08', '01.12.2026 → 08.12.2026'],
  [{ locale: 'en' }, 'date', '', '2026-12-08', 'empty → Dec 8, 2026'],
  [{ locale: 'en-GB' }, undefined, '2026-12-01', null, '1 Dec 2026 → empty'],
  // A day is the same everywhere; so is a time without a zone.
  [{ locale: 'de', timeZone: 'America/Los_Angeles' }, 'date', '', '2026-12-08', 'empty → 08.12.2026'],
  [BERLIN, undefined, null, '2026-12-08T23:30:00', 'empty → 08.12.2026, 23:30'],
  [
    BERLIN,
    undefined,
    '2026-07-08T23:30Z',
    '2026-12-08T23:30:00.5+00:00',
    '09.07.2026, 01:30 → 09.12.2026, 00:30',
  ],
  [{ locale: 'de' }, undefined, null, '2026-12-08T23:30:00+01:00', 'empty → 08.12.2026, 22:30 UTC'],
  // Both within the same minute.
  [
    BERLIN,
    undefined,
    '2026-12-08T23:30:01Z',
    '2026-12-08T23:30:02Z',
    '2026-12-08T23:30:01Z → 2026-12-08T23:30:02Z',
  ],
  [
    { locale: 'de-DE' },
    'number',
    '1234.50',
    '-98765432109876543210.1',
    '1.234,50 → -98.765.432.109.876.543.210,1',
  ],
  [{ locale: 'de-DE' }, 'number', '1e3', 'about 2.5', '1e3 → about 2.5'],
  // No dates: days that no calendar has, texts and choices of people, and longer texts.
  [BERLIN, 'date', '2026-02-30', '2026-13-01T00:00Z', '2026-02-30 → 2026-13-01T00:00Z'],
  [BERLIN, 'text', '2026-12-01', '1234.5', '2026-12-01 → 1234.5'],
  [BERLIN, 'single-choice', '2026-12-01', 'x', '2026-12-01 → x'],
  [BERLIN, undefined, '2026-12-01 or later', '12345', '2026-12-01 or later → 12345'],
])('with %j a value of type %s changes from %j to %j as %s', (settings, type, from, to, text) => {
  expect(shown(valued(type, from, to), settings)).toContain(`Due: ${text}`);
});

it.each(['slack', 'teams', 'text'] as const)('every kind of chat writes values in its locale: %s', kind => {
  const body = shown(valued('date', '2026-12-01', '2026-12-08'), BERLIN, kind);
  expect(body).toContain('08.12.2026');
  expect(body).not.toContain('2026-12-08');
});

it('a number that identifies a record stays as it is', () => {
  const number = (name: string) => shown({ ...builtIn(name, 12_000), from: 11_000 }, { locale: 'de-DE' });
  expect(number('budget')).toContain('11.000 → 12.000');
  expect(number('managerId')).toContain('11000 → 12000');
});

it('plain text has the times of the changes in the locale', () => {
  expect(shown(valued('date', '', '2026-12-08'), BERLIN)).toContain(
    'between 23.11.2026, 10:29 and 23.11.2026, 10:30\\n',
  );
  expect(shown(valued('date', '', '2026-12-08'), { locale: 'de-DE' })).toContain(
    'between 23.11.2026, 09:29 and 23.11.2026, 09:30 UTC\\n',
  );
});
