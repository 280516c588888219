const MAX_PAGE_SIZE = 100;

export interface PageRequest {
  readonly cursor?: string;
  readonly limit: number;
}

/** The pages of a list, until they contain `limit` items in total. */
export async function* pages<Page extends { readonly cursor?: string | undefined }>(
  limit: number,
  ask: (page: PageRequest) => Promise<Page>,
  countOf: (page: Page) => number,
): AsyncGenerator<Page, void> {
  let cursor: string | undefined;
  let left = limit;
  do {
    const page = await ask({ limit: Math.min(left, MAX_PAGE_SIZE), ...(cursor !== undefined && { cursor }) });
    yield page;
    left -= countOf(page);
    cursor = page.cursor;
  } while (cursor !== undefined && left > 0);
}
