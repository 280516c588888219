import type { RawPage } from './page.ts';
import type { Answer } from './reader.ts';

/** A walk keeps a digest of each cursor. The largest list that a run has the time to read is far shorter. */
const MAX_PAGES = 100_000;
/** Some services filter a page after they cut it, so that empty ones may be many; but a list that is nothing else for so
 *  long has no end. */
const MOST_EMPTY_PAGES = 1_000;

/** How far one walk over a list has come: a list without end must not fill the memory, nor the time of every run. */
export class Extent {
  readonly #limit: number;
  #bytes = 0;
  #pages = 0;
  #items = 0;
  #emptyInARow = 0;

  /** `limit`: of all answers together, in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Throws a ServiceAnswerError when this page makes the list too large, or when too many pages came, or too many empty ones. */
  add(answer: Answer, page: RawPage): void {
    this.#bytes += answer.size;
    this.#pages += 1;
    this.#items += page.items.length;
    this.#emptyInARow = page.items.length === 0 ? this.#emptyInARow + 1 : 0;
    if (this.#bytes > this.#limit) {
      const expected = `a list of at most ${this.#limit} bytes on all its pages, as configuration.md explains`;
      const found = `${this.#bytes} bytes in ${this.#items} items on ${this.#pages} pages`;
      throw answer.wrong({ path: page.path, expected, found });
    }
    if (this.#pages >= MAX_PAGES && page.next !== undefined) {
      const expected = `the end within ${MAX_PAGES} pages`;
      throw answer.wrong({ path: '$.paging.hasNextPage', expected, found: 'true' });
    }
    if (this.#emptyInARow >= MOST_EMPTY_PAGES && page.next !== undefined) {
      const expected = `an item or the end within ${MOST_EMPTY_PAGES} pages`;
      throw answer.wrong({ path: '$.paging.hasNextPage', expected, found: 'true on an empty page, again' });
    }
  }
}
