import { describe, expect, it } from 'vitest';
import { placeOf, readEvent } from '../../functions/delivery/read-event.ts';
import { AT, someEvents } from '../kit/delivery/setting.ts';

const [event] = someEvents(1);
const read = (more: object) => readEvent(JSON.stringify({ ...event, ...more }));
const lookAt = (what: string) => ({ malformed: `the message is not a change event; invalid: ${what}` });

describe('the body of a message', () => {
  it('is an event, with all that a newer publisher adds', () => {
    const newer = { ...event, type: 'task.moved', extra: [1], data: { ...event?.data, more: { a: 1 } } };
    expect(readEvent(JSON.stringify(newer))).toEqual({ event: newer });
  });

  it('that is no JSON, or no object, is malformed', () => {
    expect(readEvent('hush')).toEqual({ malformed: 'the message is not valid JSON' });
    expect(readEvent('[]')).toEqual(lookAt('the whole message'));
    expect(readEvent('null')).toEqual(lookAt('the whole message'));
    expect(readEvent('{}')).toEqual(lookAt('specversion, id, source, type, time, data'));
  });

  it.each([
    [{ specversion: '2.0' }, 'specversion'],
    [{ source: '' }, 'source'],
    [{ type: '' }, 'type'],
    [{ time: 'yesterday' }, 'time'],
    [{ data: {} }, 'data.process'],
    [{ data: { process: { id: 7 } } }, 'data.process.id'],
  ])('with %j is malformed, and what of it is told without its value', (more, what) => {
    expect(read(more)).toEqual(lookAt(what));
  });

  it('has an id that a header can carry', () => {
    for (const id of ['a', '!~', 'x'.repeat(300)]) expect(read({ id })).toHaveProperty('event.id', id);
    for (const id of ['', ' ', 'a b', ' a', 'a ', 'a\n', 'é', '\x7f', 7])
      expect(read({ id })).toEqual(lookAt('id'));
  });
});

describe('the place of an event among all others', () => {
  const place = (more: object) =>
    placeOf(JSON.stringify({ ...event, time: '2026-11-21T12:00:07Z', ...more }));

  it('is its project’s version, which is the time of its commit', () => {
    expect(place({ sequence: String(AT + 5) })).toEqual({ id: event?.id, at: AT + 5 });
    // The least that is a version.
    expect(place({ sequence: '1000000000000' })?.at).toBe(1_000_000_000_000);
    // Also where a restored table made it later than the clock.
    expect(place({ sequence: '9999999999999' })?.at).toBe(9_999_999_999_999);
  });

  it('is its own time where it has no such version', () => {
    for (const sequence of [undefined, '1', '0007', 'odd', '', null, '999999999999'])
      expect(place({ sequence })).toEqual({ id: event?.id, at: AT + 7_000 });
  });

  it('is none where the text is no event', () => {
    for (const body of ['hush', '{}']) expect(placeOf(body)).toBeUndefined();
  });
});
