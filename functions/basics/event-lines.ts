import type { Log } from './telemetry.ts';

/** So many ids stand in one line of the log: it stays readable, and far below CloudWatch's bound of a line. */
export const MOST_IDS = 200;

/** Says at level info what became of events, so that each is found by its id: one line; of more than `MOST_IDS`, further ones with the same
 *  details. Nothing of an event but its id is told. */
export function tellEvents(log: Log, message: string, ids: readonly string[], details: object = {}): void {
  const lines = Math.max(1, Math.ceil(ids.length / MOST_IDS));
  for (let line = 0; line < lines; line++)
    log.info(message, { ...details, events: ids.slice(line * MOST_IDS, (line + 1) * MOST_IDS) });
}

/** The ids of events whose number nobody knows beforehand: whenever a line is full it is written, so that never more are held. */
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

  /** Those that stand in no line yet; from now on they count as told. */
  rest(): readonly string[] {
    const rest = this.#ids;
    this.#ids = [];
    return rest;
  }
}
