import { csv, fileName } from '../model/csv.ts';
import { CSV_HEAD, csvRows, type Entry, exportMark, historyJson } from '../model/history.ts';
import { CopyButton } from './copy.tsx';
import { download } from './download.tsx';
import type { HistoryRead } from './use-history.ts';

interface Props {
  readonly entries: readonly Entry[];
  readonly state: HistoryRead['state'];
  /** The text to copy, with this title. */
  readonly text: (title: string) => string;
  readonly title: string;
  /** The parts of the file name. */
  readonly name: readonly string[];
}

/** Buttons that export the entries as text, CSV and JSON. */
export function Exports({ entries, state, text, title, name }: Props) {
  const mark = exportMark(state);
  const isNone = entries.length === 0 || mark === undefined;
  const file = (extension: string) => fileName([mark ?? '', ...name], extension);
  return (
    <div class="exports">
      <CopyButton text={() => text(mark ? `${title} (${mark})` : title)} disabled={isNone}>
        Copy as text
      </CopyButton>
      <button
        type="button"
        disabled={isNone}
        onClick={() => download(file('csv'), 'text/csv;charset=utf-8', csv(CSV_HEAD, csvRows(entries)))}
      >
        CSV
      </button>
      <button
        type="button"
        disabled={isNone}
        onClick={() => download(file('json'), 'application/json', historyJson(entries))}
      >
        JSON
      </button>
    </div>
  );
}
