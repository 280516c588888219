import { useState } from 'preact/hooks';
import { type EndpointKind, KIND_NAMES, KINDS, type KindSettings } from '../../functions/model/kinds.ts';
import { type FilterForm, NO_FILTER, savedFilterOf } from '../model/filter-form.ts';
import { headersIn } from '../model/header-lines.ts';
import { addressOf } from '../model/routes.ts';
import { failureText } from '../parts/action.tsx';
import { FilterEditor } from '../parts/filter-editor.tsx';
import { HeaderField } from '../parts/header-field.tsx';
import { askedSettings, KindFields, sentence } from '../parts/kind-fields.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Failed } from '../parts/states.tsx';
import { TextField } from '../parts/text-field.tsx';
import { toast } from '../parts/toasts.tsx';
import { useFormErrors } from '../parts/use-form-errors.ts';
import { useWorld } from '../state/use.ts';

/** Adds an endpoint, with a preview of the events that match its filter. */
export function NewEndpointPage() {
  const { session, refresh } = useWorld();
  const [kind, setKind] = useState<EndpointKind>('webhook');
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [headers, setHeaders] = useState('');
  const [settings, setSettings] = useState<KindSettings>({});
  const [filter, setFilter] = useState<FilterForm>(NO_FILTER);
  const [state, setState] = useState<{ isBusy: boolean; made?: string }>({ isBusy: false });
  const { errors, refused, edited, editedFilter, clear, form } = useFormErrors<HTMLFormElement>();
  const { isSigned, isPulled, isMail, example } = KINDS[kind];
  const endpoint = name.trim();
  const open = () => {
    location.hash = addressOf('endpoints', endpoint);
  };
  const add = async () => {
    setState({ isBusy: true });
    clear();
    const given = isSigned && secret.trim() !== '' ? { secrets: [secret.trim()] } : {};
    try {
      const asked = savedFilterOf(filter);
      const own = isPulled || isMail ? {} : (headersIn(headers) as Record<string, string>);
      const made = await session.ask({
        operation: 'add-endpoint',
        endpoint,
        kind,
        ...(!isPulled && { url: url.trim() }),
        ...given,
        ...(Object.keys(own).length > 0 && { headers: own }),
        ...askedSettings(kind, settings),
        ...(asked && { filter: asked }),
      });
      refresh();
      toast(`Added ${endpoint}.`);
      if (made.secret === undefined) open();
      else setState({ isBusy: false, made: made.secret });
    } catch (error) {
      setState({ isBusy: false });
      refused(failureText(error));
    }
  };
  return (
    <div class="column">
      <div class="page-head">
        <h1 tabIndex={-1}>Add an endpoint</h1>
      </div>
      <form
        ref={form}
        class="new-endpoint"
        autocomplete="off"
        onSubmit={event => {
          event.preventDefault();
          if (!state.isBusy) add();
        }}
      >
        <KindChoice kind={kind} onChange={setKind} />
        <div class="two">
          <TextField
            label="Name"
            hint="Shown in the console, logs and commands."
            required
            maxLength={64}
            value={name}
            error={errors.name}
            onChange={edited('name', setName)}
          />
          {!isPulled && (
            <TextField
              label="Address"
              hint="Stored securely and not shown again."
              type="url"
              required
              placeholder={example}
              value={url}
              error={errors.url}
              onChange={edited('url', setUrl)}
            />
          )}
        </div>
        <KindFields kind={kind} {...{ settings, errors, edited }} onChange={setSettings} />
        {isSigned && (
          <TextField
            label="Signing secret"
            hint="Leave empty to generate one (shown once)."
            type="password"
            autocomplete="new-password"
            placeholder="whsec_…"
            value={secret}
            error={errors.secret}
            onChange={edited('secret', setSecret)}
          />
        )}
        {!isPulled && !isMail && (
          <HeaderField value={headers} error={errors.headers} onChange={edited('headers', setHeaders)} />
        )}
        <h2>Filter</h2>
        <FilterEditor form={filter} errors={errors} onChange={editedFilter(setFilter)} />
        {errors.other !== undefined && <Failed error={errors.other} />}
        <div class="form-foot">
          <button type="submit" class="primary" aria-busy={state.isBusy}>
            Add the endpoint
          </button>
          <a class="button" href={addressOf('endpoints')}>
            Cancel
          </a>
        </div>
      </form>
      {state.made !== undefined && <SecretDialog endpoint={endpoint} secret={state.made} onClose={open} />}
    </div>
  );
}

function KindChoice({
  kind,
  onChange,
}: {
  readonly kind: EndpointKind;
  readonly onChange: (kind: EndpointKind) => void;
}) {
  return (
    <fieldset class="kinds">
      <legend>Kind</legend>
      {KIND_NAMES.map(each => (
        <label key={each} class="kind-choice">
          <input
            type="radio"
            name="kind"
            value={each}
            checked={each === kind}
            onChange={() => onChange(each)}
          />
          <span>
            <strong>{KINDS[each].title}</strong>
            <span class="quiet block">{sentence(KINDS[each].what)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
