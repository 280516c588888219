import { Field } from './field.tsx';

interface Props {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
  /** The headers that the endpoint has; undefined for a new endpoint. */
  readonly names?: readonly string[];
}

/** The headers of an endpoint's requests. Values that are stored are not shown. */
export function HeaderField({ value, error, onChange, names }: Props) {
  const has = names?.length ? `Now: ${names.join(', ')}. ` : '';
  const change = names
    ? `${has}Others stay as they are; a name with nothing after the colon is removed.`
    : '';
  return (
    <Field
      label="Headers"
      hint={`For each request, one per line, such as “Authorization: Bearer …”. ${change}`.trim()}
      error={error}
    >
      {(id, hintId) => (
        <textarea
          id={id}
          rows={2}
          autocomplete="off"
          spellcheck={false}
          value={value}
          aria-describedby={hintId}
          aria-invalid={error !== undefined}
          onInput={event => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
