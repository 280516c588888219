import { useState } from 'preact/hooks';
import { KINDS, type KindSettings, kindSettingsOf } from '../../functions/model/kinds.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { type FilterForm, formOf, savedFilterOf } from '../model/filter-form.ts';
import { headersIn } from '../model/header-lines.ts';
import { useWorld } from '../state/use.ts';
import { failureText } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { FilterEditor } from './filter-editor.tsx';
import { HeaderField } from './header-field.tsx';
import { askedSettings, KindFields } from './kind-fields.tsx';
import { Failed } from './states.tsx';
import { TextField } from './text-field.tsx';
import { toast } from './toasts.tsx';
import { useFormErrors } from './use-form-errors.ts';

interface Props {
  readonly status: AnswerOf<'endpoint'>;
  readonly again: () => void;
}

/** Edits the filter, address and settings of an endpoint. */
export function EditEndpoint({ status, again }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        Edit…
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

function EditDialog({
  status,
  onClose,
}: {
  readonly status: AnswerOf<'endpoint'>;
  readonly onClose: () => void;
}) {
  const { session, refresh } = useWorld();
  const { name, kind } = status;
  const [filter, setFilter] = useState<FilterForm>(() => formOf(status.filter));
  const shownRate = String(status.perSecond);
  const [perSecond, setPerSecond] = useState(shownRate);
  const [keepSuccesses, setKeep] = useState(status.keepSuccesses);
  const [record, setRecord] = useState(status.record ?? true);
  const isChat = KINDS[kind].queue === 'chat';
  const [settings, setSettings] = useState<KindSettings>(() => kindSettingsOf(status));
  const [url, setUrl] = useState('');
  const [headers, setHeaders] = useState('');
  const [state, setState] = useState<{ isBusy: boolean }>({ isBusy: false });
  const { errors, refused, edited, editedFilter, clear, form } = useFormErrors<HTMLDivElement>();
  const save = async () => {
    if (state.isBusy) return;
    setState({ isBusy: true });
    clear();
    try {
      const changed = headersIn(headers, { removes: true });
      await session.ask({
        operation: 'update-endpoint',
        endpoint: name,
        filter: savedFilterOf(filter) ?? null,
        // The shown one may be the default, which a webhook's rate exceeds as it grows.
        ...(perSecond !== shownRate && { perSecond: perSecond.trim() === '' ? null : Number(perSecond) }),
        keepSuccesses,
        ...(!isChat && { record: record ? null : false }),
        ...askedSettings(kind, settings),
        ...(url.trim() !== '' && { url: url.trim() }),
        ...(Object.keys(changed).length > 0 && { headers: changed }),
      });
      refresh();
      toast(`Updated ${name}.`);
      onClose();
    } catch (error) {
      setState({ isBusy: false });
      refused(failureText(error));
    }
  };
  return (
    <Dialog title={`Edit ${name}`} onClose={onClose} isCareful isWide>
      <FilterEditor form={filter} errors={errors} onChange={editedFilter(setFilter)} />
      <div class="two" ref={form}>
        <TextField
          label="Maximum requests per second from the backlog"
          hint="Leave empty for the default."
          type="number"
          min="1"
          step="1"
          value={perSecond}
          error={errors.perSecond}
          onChange={edited('perSecond', setPerSecond)}
        />
        <TextField
          label="New address"
          hint="Leave empty to keep the current address."
          type="url"
          autocomplete="off"
          value={url}
          error={errors.url}
          onChange={edited('url', setUrl)}
        />
      </div>
      <KindFields kind={kind} {...{ settings, errors, edited }} onChange={setSettings} />
      {!KINDS[kind].isMail && (
        <HeaderField
          value={headers}
          error={errors.headers}
          onChange={edited('headers', setHeaders)}
          names={status.headers ?? []}
        />
      )}
      <label class="check">
        <input
          type="checkbox"
          checked={keepSuccesses}
          onChange={event => setKeep(event.currentTarget.checked)}
        />
        Keep successful attempts
      </label>
      {!isChat && (
        <label class="check">
          <input
            type="checkbox"
            checked={record}
            onChange={event => setRecord(event.currentTarget.checked)}
          />
          Send records with the changes
        </label>
      )}
      {errors.other !== undefined && <Failed error={errors.other} />}
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
