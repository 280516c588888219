import { useMemo, useState } from 'preact/hooks';
import { type FilterForm, filterOf } from '../model/filter-form.ts';
import { type Excluded, type Past, tried } from '../model/preview.ts';
import { By, What, Where } from './change.tsx';
import { Failed, Loading } from './states.tsx';
import { Ago } from './times.tsx';
import { MAX_PAST, type PastEvents } from './use-past.ts';

const SHOWN = 12;

/** Which of the last events the filter selects, and why not the others. */
export function Preview({
  form,
  past: { past, isRead, error },
}: {
  readonly form: FilterForm;
  readonly past: PastEvents;
}) {
  const { matching, excluded } = useMemo(() => tried(filterOf(form), past), [form, past]);
  const oldest = past.at(-1)?.line.at;
  return (
    <section class="sheet preview" aria-label="Preview">
      <p class="preview-head" aria-live="polite">
        Matches <strong>{matching.length.toLocaleString('en')}</strong> of the last{' '}
        {past.length.toLocaleString('en')} events
        {isRead || past.length >= MAX_PAST ? '' : ' so far'}
        {oldest !== undefined && (
          <span class="quiet">
            {' '}
            (since <Ago at={oldest} />)
          </span>
        )}
      </p>
      {error !== undefined && <Failed error={error} />}
      {past.length === 0 && !isRead && error === undefined && <Loading what="The latest events" />}
      {past.length === 0 && isRead && <p class="quiet">No events yet to try the filter on.</p>}
      {past.length > 0 && matching.length === 0 && <p class="quiet">No matches.</p>}
      <Lines events={matching.slice(0, SHOWN)} />
      {matching.length > SHOWN && (
        <p class="quiet">and {(matching.length - SHOWN).toLocaleString('en')} more</p>
      )}
      {excluded.length > 0 && <Others events={excluded} />}
    </section>
  );
}

function Lines({ events }: { readonly events: readonly (Past & Partial<Excluded>)[] }) {
  return (
    <ul class="preview-lines">
      {events.map(({ line, reason }) => (
        <li key={line.id}>
          <div class="preview-line">
            <span class="where">
              <Where line={line} />
            </span>
            <span class="what">
              <What line={line} />
              <By line={line} after=" · " />
            </span>
          </div>
          {reason !== undefined && <p class="quiet reason">Not sent: {reason}.</p>}
        </li>
      ))}
    </ul>
  );
}

const PAGE = 50;

function Others({ events }: { readonly events: readonly Excluded[] }) {
  const [shown, setShown] = useState(0);
  const left = events.length - shown;
  return (
    <>
      <Lines events={events.slice(0, shown)} />
      {left > 0 && (
        <button type="button" class="small" onClick={() => setShown(shown + PAGE)}>
          {shown === 0
            ? `Why not the other ${left.toLocaleString('en')}?`
            : `${left.toLocaleString('en')} more`}
        </button>
      )}
    </>
  );
}
