import { useState } from 'preact/hooks';
import type { EndpointStatus } from '../../functions/operations/protocol/endpoints.ts';
import { type FilterForm, filterOf, formOf } from '../model/filter-form.ts';
import { useWorld } from '../state/use.ts';
import { failureText } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { FilterEditor } from './filter-editor.tsx';
import { Failed } from './states.tsx';
import { TextField } from './text-field.tsx';
import { toast } from './toasts.tsx';

interface Props {
  readonly status: EndpointStatus;
  readonly again: () => void;
}

/** Changes what an endpoint gets, and where it is. */
export function EditEndpoint({ status, again }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Change…
      </button>
      {isOpen && (
        <EditDialog
          status={status}
          onClose={() => {
            setOpen(false);
            again();
          }}
        />
      )}
    </>
  );
}

function EditDialog({ status, onClose }: { readonly status: EndpointStatus; readonly onClose: () => void }) {
  const { session, refresh } = useWorld();
  const { name } = status;
  const [filter, setFilter] = useState<FilterForm>(() => formOf(status.filter));
  const [perSecond, setPerSecond] = useState(String(status.perSecond));
  const [keepSuccesses, setKeep] = useState(status.keepSuccesses);
  const [url, setUrl] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const save = async () => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      await session.ask({
        operation: 'update-endpoint',
        endpoint: name,
        filter: filterOf(filter) ?? null,
        perSecond: perSecond.trim() === '' ? null : Number(perSecond),
        keepSuccesses,
        ...(url.trim() !== '' && { url: url.trim() }),
      });
      refresh();
      toast(`${name} is changed.`);
      onClose();
    } catch (error) {
      setState({ isBusy: false, error: failureText(error) });
    }
  };
  return (
    <Dialog title={`Change ${name}`} onClose={onClose} isCareful isWide>
      <FilterEditor form={filter} onChange={setFilter} />
      <div class="two">
        <TextField
          label="Requests a second, while it catches up"
          type="number"
          min="0"
          step="any"
          value={perSecond}
          onChange={setPerSecond}
        />
        <TextField
          label="New address"
          hint="Empty: it stays."
          type="url"
          autocomplete="off"
          value={url}
          onChange={setUrl}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={keepSuccesses}
          onChange={event => setKeep(event.currentTarget.checked)}
        />
        Keep attempts that succeeded, too
      </label>
      {state.error !== undefined && <Failed error={state.error} />}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" class="primary" aria-busy={state.isBusy} onClick={save}>
          Save
        </button>
      </div>
    </Dialog>
  );
}
