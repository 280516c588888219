import { type PageRequest, pages } from '../context/pages.ts';
import type { Printer } from '../context/printer.ts';
import type { Display } from '../show/display.ts';

interface List<Page, Item> {
  /** Maximum number of items; Infinity for all. */
  readonly limit: number;
  ask(page: PageRequest): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  format(items: readonly Item[], display: Display): string;
}

/** Requests a list page by page and prints it: as JSON page by page, as text in one table at the end. */
export async function showList<Page extends { readonly cursor?: string | undefined }, Item extends object>(
  print: Printer,
  { limit, ask, itemsOf, format }: List<Page, Item>,
): Promise<void> {
  const all: Item[] = [];
  let isMore = false;
  for await (const page of pages(limit, ask, page => itemsOf(page).length)) {
    if (print.json) print.answers(itemsOf(page), () => '');
    else all.push(...itemsOf(page));
    isMore = page.cursor !== undefined;
  }
  if (!print.json) print.answers(all, display => format(all, display));
  if (isMore) print.note(MORE);
}

export const MORE = 'More results available; use --limit N or --limit all.';
