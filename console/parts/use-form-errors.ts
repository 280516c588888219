import { useEffect, useRef, useState } from 'preact/hooks';
import { type FormErrors, type FormField, formErrors, isPart } from '../model/form-errors.ts';

/** The errors of a form for an endpoint: each until its field is edited. The first field with an error, within `form`, gets the focus. */
export function useFormErrors<Form extends HTMLElement>() {
  const [errors, setErrors] = useState<FormErrors>({});
  const form = useRef<Form>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refusals]);
  return {
    errors,
    form,
    clear: () => setErrors({}),
    /** Shows what a refusal says. */
    refused: (text: string) => {
      setErrors(formErrors(text));
      setRefusals(count => count + 1);
    },
    /** The setter of the filter, which also takes its errors away. */
    editedFilter:
      <Value>(set: (value: Value) => void) =>
      (value: Value) => {
        setErrors(now => Object.fromEntries(Object.entries(now).filter(([field]) => !isPart(field))));
        set(value);
      },
    /** The setter of a field, which also takes its error away. */
    edited:
      <Value>(field: FormField, set: (value: Value) => void) =>
      (value: Value) => {
        setErrors(({ [field]: _, ...rest }) => rest);
        set(value);
      },
  };
}
