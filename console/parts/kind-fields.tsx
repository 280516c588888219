import { type EndpointKind, KIND_SETTINGS, type KindSettings } from '../../functions/model/kinds.ts';
import type { FormErrors } from '../model/form-errors.ts';
import { Field } from './field.tsx';
import { TextField } from './text-field.tsx';
import type { useFormErrors } from './use-form-errors.ts';

interface Props {
  readonly kind: EndpointKind;
  readonly settings: KindSettings;
  readonly errors: FormErrors;
  readonly edited: ReturnType<typeof useFormErrors>['edited'];
  readonly onChange: (settings: KindSettings) => void;
}

/** The fields of settings that not all kinds have. */
export function KindFields({ kind, settings, errors, edited, onChange }: Props) {
  const fields = KIND_SETTINGS.filter(({ kinds }) => kinds.includes(kind)).map(
    ({ name, what, choices, range, form }) => {
      const shared = { label: words(name), error: errors[name], hint: `${sentence(what)}.` };
      const value = String(settings[name] ?? '');
      const change = edited(name, (text: string) => onChange({ ...settings, [name]: text }));
      if (range) {
        const number = { type: 'number', min: String(range[0]), step: '1' } as const;
        return <TextField key={name} {...shared} {...number} value={value} onChange={change} />;
      }
      if (!choices)
        return (
          <TextField
            key={name}
            {...shared}
            {...(!form && { maxLength: 64 })}
            placeholder={form?.example}
            value={value}
            onChange={change}
          />
        );
      return (
        <Field key={name} {...shared}>
          {(id, hintId) => (
            <select
              id={id}
              aria-describedby={hintId}
              aria-invalid={shared.error !== undefined}
              value={value}
              onChange={event => change(event.currentTarget.value)}
            >
              <option value="">None</option>
              {choices.map(choice => (
                <option key={choice} value={choice}>
                  {words(choice)}
                </option>
              ))}
            </select>
          )}
        </Field>
      );
    },
  );
  return fields.length > 0 && <div class="two">{fields}</div>;
}

/** The settings of this kind for a request: null for an empty field. */
export function askedSettings(
  kind: EndpointKind,
  settings: KindSettings,
): { readonly [Name in keyof KindSettings]?: KindSettings[Name] | null } {
  const own = KIND_SETTINGS.filter(({ kinds }) => kinds.includes(kind)).map(({ name, range }) => {
    const text = String(settings[name] ?? '').trim();
    return [name, text === '' ? null : range ? Number(text) : text];
  });
  return Object.fromEntries(own);
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `titleHeader` as `Title header`, `google-chat` as `Google chat`. */
function words(name: string): string {
  return sentence(name.replace(/(?=[A-Z])|-/g, ' ').toLowerCase());
}
