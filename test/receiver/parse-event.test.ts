import { describe, expect, it } from 'vitest';
import { parseEvent } from '../../receiver/parse-event.ts';
import { Refusal } from '../../receiver/refusal.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';

const UPDATED = exampleEvent('task.updated');

describe('an event in a verified message', () => {
  it.each(['1772442240000', '9999999999999999'])('may have the sequence %s', sequence => {
    const event = { ...UPDATED, sequence };
    expect(parseEvent(JSON.stringify(event))).toEqual(event);
  });

  it.each([
    ...['id', 'source', 'type', 'sequence', 'specversion', 'data'].flatMap(name =>
      [undefined, null, '', 7, []].map(value => ({ [name]: value })),
    ),
    ...['later', '177244224000', '99999999999999999', '1772442240000x', 'x1772442240000'].map(sequence => ({
      sequence,
    })),
    { data: 'text' },
    { specversion: '0.3' },
  ])('is none with %j', change => {
    const text = JSON.stringify({ ...UPDATED, ...change });
    expect(() => parseEvent(text)).toThrow(new Refusal(400, 'This is not a change event.'));
  });

  it.each(['', 'text', '{'])('is none in %j, which is no JSON', text => {
    expect(() => parseEvent(text)).toThrow(new Refusal(400, 'The event is not JSON.'));
  });

  it.each(['null', '[]', '7', '"text"'])('is none in %s, which is not a JSON object', text => {
    expect(() => parseEvent(text)).toThrow(new Refusal(400, 'The event is not a JSON object.'));
  });
});
