import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker, Query } from './asker.ts';

/** One page, as far as it can be read. */
export interface PageBody {
  /** The list's property; undefined when there is none, or several. */
  readonly property: string | undefined;
  /** All properties that are arrays. */
  readonly arrays: readonly string[];
  readonly items: readonly JsonObject[];
  readonly paging: JsonObject | undefined;
  readonly next: string | undefined;
}

/** A list, as far as it was read. */
export interface ListRead {
  readonly answers: readonly Probed[];
  readonly pages: readonly PageBody[];
  readonly items: readonly JsonObject[];
  /** True when the whole list was read. */
  readonly isWhole: boolean;
  /** The page size (`first`) that worked. */
  readonly first: number;
  /** The answers for page sizes that failed because they were larger. */
  readonly tooLarge: readonly Probed[];
  /** True when a cursor came a second time: such a list never ends. */
  readonly isStuck: boolean;
  /** The answer that ended the reading before its time. */
  readonly failure: Probed | undefined;
}

/** The page sizes that passes use by default; a test compares them with the client's. */
export const PAGE_SIZES = { projects: 200, tasks: 500, auditLog: 100, users: 1000 } as const;
export type ListName = keyof typeof PAGE_SIZES;

const NEVER_SIZE = new Set([401, 403, 404, 429]);

/** Reads the page of an answer; `property` is the list's name where it is documented. */
export function pageBody(body: Json | undefined, property?: string): PageBody {
  const object = isJsonObject(body) ? body : {};
  const arrays = Object.keys(object).filter(key => key !== 'paging' && Array.isArray(object[key]));
  const name =
    property === undefined && arrays.length === 1 ? arrays[0] : arrays.find(key => key === property);
  const list = name === undefined ? [] : object[name];
  const paging = isJsonObject(object.paging) ? object.paging : undefined;
  const { hasNextPage, endCursor } = paging ?? {};
  return {
    property: name,
    arrays,
    items: Array.isArray(list) ? list.filter(isJsonObject) : [],
    paging,
    next: hasNextPage === true && typeof endCursor === 'string' && endCursor !== '' ? endCursor : undefined,
  };
}

/** Which part of a list to read. */
export interface Reading {
  /** The most pages. */
  readonly most?: number;
  readonly query?: Query;
  /** True to send requests again, instead of taking answers from memory. */
  readonly again?: boolean;
}

/** Reads a list page by page. Like a pass, it tries smaller pages where large ones fail. */
export async function readList(
  asker: Asker,
  name: ListName,
  segments: readonly string[],
  { most = 5, query = {}, again = false }: Reading = {},
): Promise<ListRead> {
  const answers: Probed[] = [];
  const pages: PageBody[] = [];
  let failure: Probed | undefined;
  let after: string | undefined;
  const cursors = new Set<string>();
  let isStuck = false;
  while (pages.length < most && !failure && !isStuck) {
    const { first, answers: failed } = sizeOf(asker, name);
    const paging = { first, ...(after !== undefined && { after }) };
    const came = await asker.get(segments, { ...paging, ...query }, { again });
    if (came.body !== undefined) {
      answers.push(came);
      pages.push(pageBody(came.body, name === 'projects' ? 'projects' : undefined));
      after = pages.at(-1)?.next;
      if (after === undefined) break;
      isStuck = cursors.has(after);
      cursors.add(after);
    } else if (mayBeSize(came) && first > 1) {
      asker.tooLarge.set(name, { first: Math.floor(first / 2), answers: [...failed, came] });
    } else failure = came;
  }
  const items = pages.flatMap(page => page.items);
  const { first, answers: tooLarge } = sizeOf(asker, name);
  const isWhole = !failure && after === undefined;
  return { answers, pages, items, first, tooLarge, isStuck, failure, isWhole };
}

function sizeOf({ tooLarge }: Asker, name: ListName) {
  return tooLarge.get(name) ?? { first: PAGE_SIZES[name] as number, answers: [] };
}

function mayBeSize({ status, failure, hasNoToken }: Probed): boolean {
  if (hasNoToken) return false;
  return status === undefined
    ? (failure ?? '').includes('at most')
    : status >= 400 && !NEVER_SIZE.has(status);
}

/** The projects of the process: five pages at most. */
export const readProjects = (asker: Asker, reading: Reading = {}): Promise<ListRead> =>
  readList(asker, 'projects', ['processes', asker.process, 'projects'], reading);

/** The audit log: eight pages at most. */
export const readAudit = (asker: Asker, reading: Reading = {}): Promise<ListRead> =>
  readList(asker, 'auditLog', ['processes', asker.process, 'auditlog'], { most: 8, ...reading });

/** The property by which a pass would identify these records. */
export function identifierIn(records: readonly JsonObject[], kind: RecordKind): string | undefined {
  return identifierNames(kind).find(name => records.some(record => textOf(record[name]) !== ''));
}

/** An identifier as text; empty when the value is none. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
