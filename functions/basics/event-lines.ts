import type { Log } from './telemetry.ts';

/** The most ids in one line of the log: it stays readable, and far below CloudWatch's limit for a line. */
export const MOST_IDS = 200;

/** Logs, at level info, what became of events, so that each can be found by its id. With more than
 *  `MOST_IDS`, several lines have the same details. Of an event, only the id is logged. */
export function tellEvents(log: Log, message: string, ids: readonly string[], details: object = {}): void {
  const lines = Math.max(1, Math.ceil(ids.length / MOST_IDS));
  for (let line = 0; line < lines; line++)
    log.info(message, { ...details, events: ids.slice(line * MOST_IDS, (line + 1) * MOST_IDS) });
}

/** Collects ids of events whose number is not known beforehand. A full line is written at once, so that no
 *  more ids than that are held. */
export class EventLines {
  readonly #write: (ids: readonly string[]) => void;
  #ids: string[] = [];

  constructor(write: (ids: readonly string[]) => void) {
    this.#write = write;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#ids.length === MOST_IDS) this.#write(this.rest());
      this.#ids.push(id);
    }
  }

  /** The ids that no line has yet; they are forgotten here. */
  rest(): readonly string[] {
    const rest = this.#ids;
    this.#ids = [];
    return rest;
  }
}
