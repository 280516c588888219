import type { TestEvent } from './event.ts';

/** What tells an endpoint nothing but that events arrive there. `at` in ms since 1970; `tag` makes its id another one than that of any
 *  other test at that time. */
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
