import { csv, fileName } from '../model/csv.ts';
import { CSV_HEAD, csvRows, type Entry, historyJson } from '../model/history.ts';
import { CopyButton } from './copy.tsx';
import { download } from './download.tsx';

interface Props {
  readonly entries: readonly Entry[];
  /** The text to copy. */
  readonly text: () => string;
  /** The parts of the file name. */
  readonly name: readonly string[];
}

/** Buttons that export the entries as text, CSV and JSON. */
export function Exports({ entries, text, name }: Props) {
  const isNone = entries.length === 0;
  return (
    <div class="exports">
      <CopyButton text={text} disabled={isNone}>
        Copy as text
      </CopyButton>
      <button
        type="button"
        disabled={isNone}
        onClick={() =>
          download(fileName(name, 'csv'), 'text/csv;charset=utf-8', csv(CSV_HEAD, csvRows(entries)))
        }
      >
        CSV
      </button>
      <button
        type="button"
        disabled={isNone}
        onClick={() => download(fileName(name, 'json'), 'application/json', historyJson(entries))}
      >
        JSON
      </button>
    </div>
  );
}
