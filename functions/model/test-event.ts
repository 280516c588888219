import type { TestEvent } from './event.ts';

/** An event that only shows an endpoint that events arrive. `at` in ms since 1970; `tag` makes its id unique
 *  among tests at the same time. */
export function testEvent(endpoint: string, { at, tag }: { at: number; tag: string }): TestEvent {
  return {
    specversion: '1.0',
    id: `changewire.test.${at}.${tag}`,
    source: `/endpoints/${endpoint}`,
    type: 'changewire.test',
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    sequence: String(at),
    data: {
      endpoint: { name: endpoint },
      message: 'This is a test: events of Changewire arrive here. Nothing changed.',
    },
  };
}
