import type { ComponentChildren } from 'preact';
import { Field } from './field.tsx';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'url' | 'number' | 'password' | 'datetime-local';
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly placeholder?: string | undefined;
  readonly autocomplete?: 'off' | 'new-password';
  readonly list?: string;
  readonly min?: string;
  readonly step?: string;
}

/** A labelled form field for a line of text, a number or a time. */
export function TextField({ label, hint, error, onChange, type = 'text', ...input }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(id, hintId) => (
        <input
          {...input}
          // Preact's types do not accept a union of input types.
          type={type as 'text'}
          id={id}
          aria-describedby={hintId}
          aria-invalid={error !== undefined}
          onInput={event => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
