import type { ChangeEvent } from '../../../functions/model/event.ts';

/** Where an event comes from, as a message says it. */
export function originOf({ source, data }: ChangeEvent): string {
  return `process ${data.process.id} · workspace ${source.split('/')[2]}`;
}

/** The times of an interval (ms since 1970) as a message shows them, to the second. */
export function span(after: number, before: number): string[] {
  const times = after === before ? [before] : [after, before];
  return times.map(time => new Date(time).toISOString().slice(0, 19));
}

/** What is wrong with a part of a message; undefined when it is what it should be. */
export function differ(
  what: string,
  shown: string | undefined,
  told: string | undefined,
): string | undefined {
  return shown === told ? undefined : `its ${what} is “${shown}” instead of “${told}”`;
}
