import { type PageRequest, pages } from '../context/pages.ts';
import type { Printer } from '../context/printer.ts';
import type { Paper } from '../show/paper.ts';

interface List<Page, Item> {
  /** How many items at most; Infinity for all. */
  readonly limit: number;
  ask(page: PageRequest): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  words(items: readonly Item[], paper: Paper): string;
}

/** Asks for a list page by page and shows it: to programs each page as it comes, to people one table at
 *  the end. */
export async function showList<Page extends { readonly cursor?: string | undefined }, Item extends object>(
  print: Printer,
  { limit, ask, itemsOf, words }: List<Page, Item>,
): Promise<void> {
  const all: Item[] = [];
  let isMore = false;
  for await (const page of pages(limit, ask, page => itemsOf(page).length)) {
    if (print.json) print.answers(itemsOf(page), () => '');
    else all.push(...itemsOf(page));
    isMore = page.cursor !== undefined;
  }
  if (!print.json) print.answers(all, paper => words(all, paper));
  if (isMore) print.note(MORE);
}

export const MORE = 'There is more: say how much with --limit N, or --limit all.';
