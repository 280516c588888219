import { useMemo, useState } from 'preact/hooks';
import { counted } from '../model/counted.ts';
import { type FieldRow, fieldRows, type Span } from '../model/field-rows.ts';
import type { Entry } from '../model/history.ts';
import { addressOf } from '../model/routes.ts';
import { momentText } from '../model/time-axis.ts';
import { TimeLabels } from './chart.tsx';

const MAX_ROWS = 12;

interface Props {
  /** Newest first. */
  readonly entries: readonly Entry[];
  readonly isOfTask: boolean;
}

/** The values of each field over time. It is hidden from screen readers: the list below it has the same changes. */
export function FieldTimeline({ entries, isOfTask }: Props) {
  const [isWhole, setWhole] = useState(false);
  const found = useMemo(() => fieldRows(entries, isOfTask, Date.now()), [entries, isOfTask]);
  if (!found) return null;
  const { axis, rows } = found;
  const left = rows.length - MAX_ROWS;
  return (
    <figure class="sheet padded">
      <figcaption class="quiet">
        Values over time, since {momentText(axis.since)}. The list below has the same changes.
      </figcaption>
      <div class="field-rows" aria-hidden="true">
        {(isWhole ? rows : rows.slice(0, MAX_ROWS)).map(row => (
          <Row key={row.key} row={row} record={isOfTask ? 'The task' : 'The project'} />
        ))}
        <div class="field-row">
          <span />
          <TimeLabels axis={axis} />
        </div>
      </div>
      {left > 0 && !isWhole && (
        <button type="button" class="small end" onClick={() => setWhole(true)}>
          Show {counted(left, 'more row')}
        </button>
      )}
    </figure>
  );
}

function Row({ row: { task, field, spans }, record }: { readonly row: FieldRow; readonly record: string }) {
  return (
    <div class="field-row">
      <span class="field-row-name" title={[task ?? record, field].filter(Boolean).join(' › ')}>
        {(task !== undefined || field === undefined) && (
          <bdi class={field === undefined ? '' : 'quiet'}>{task ?? record}</bdi>
        )}
        {task !== undefined && field !== undefined && <span class="step">›</span>}
        {field !== undefined && <bdi class="field-row-field">{field}</bdi>}
      </span>
      <span class="field-track">
        {spans.map(span => {
          const { id, text, from, to } = span;
          return (
            <a
              key={from}
              class={`span ${toneOf(span, field)}`}
              {...(id !== undefined && { href: addressOf('event', id) })}
              tabIndex={-1}
              title={text ?? 'empty'}
              style={{ left: `${from * 100}%`, width: `${(to - from) * 100}%` }}
            >
              {text === undefined ? <i>empty</i> : <bdi>{text}</bdi>}
            </a>
          );
        })}
      </span>
    </div>
  );
}

function toneOf({ id, text }: Span, field: string | undefined): string {
  if (field === undefined && text === 'deleted') return 'gone';
  return id === undefined || text === undefined ? 'muted' : '';
}
