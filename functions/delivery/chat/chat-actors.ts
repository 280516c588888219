import { namesInWords } from '../../basics/names-in-words.ts';
import type { Actor } from '../../model/event.ts';
import { label } from './chat-text.ts';
import type { ChatRecord } from './chat-topic.ts';

/** People read their names in notifications on phones. */
const NAME_LENGTH = 60;

/** Those who made a change, by their names, in words; one without a name by the id. Undefined when nobody is known. */
export function actorsInWords(actors: readonly Actor[] = []): string | undefined {
  const names = actors.map(
    ({ id, name = '' }) => label(name, NAME_LENGTH) || label(id, NAME_LENGTH) || '(no name)',
  );
  return names.length === 0 ? undefined : namesInWords(names);
}

/** Those who made all of these changes, told once for the whole message instead of with each record. Where the
 *  records differ, or nobody is known of one, it stays with the records: nobody is told to have changed what
 *  somebody else may have. The words alone don't tell people apart: two may have one name, and of many only two are named.
 *  @param records one at least
 *  @param actors those of each record, in the records' order */
export function together(
  records: readonly ChatRecord[],
  actors: readonly (readonly Actor[] | undefined)[],
): Pick<ChatRecord, 'by'> & { readonly records: readonly ChatRecord[] } {
  const { by } = records[0] as ChatRecord;
  const ids = actors.map(some => JSON.stringify(some?.map(({ id }) => id)));
  const isOfThem = (record: ChatRecord, index: number) => record.by === by && ids[index] === ids[0];
  if (!records.every(isOfThem)) return { records };
  return { by, records: records.map(({ by: _, ...record }) => record) };
}
