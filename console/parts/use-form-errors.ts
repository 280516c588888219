import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type FormErrors, type FormField, formErrors, isPart } from '../model/form-errors.ts';

/** The errors of an endpoint's form, each until its field is edited. The first field with an error in `form` gets the
 *  focus. */
export function useFormErrors<Form extends HTMLElement>() {
  const [errors, setErrors] = useState<FormErrors>({});
  const form = useRef<Form>(null);
  const [refusals, setRefusals] = useState(0);
  // With the errors on the page: later, the focus could take a key press of the user from another field.
  useLayoutEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refusals]);
  return {
    errors,
    form,
    clear: () => setErrors({}),
    /** Shows the errors of a refusal. */
    refused: (text: string) => {
      setErrors(formErrors(text));
      setRefusals(count => count + 1);
    },
    /** A setter of the filter that also clears its errors. */
    editedFilter:
      <Value>(set: (value: Value) => void) =>
      (value: Value) => {
        setErrors(now => Object.fromEntries(Object.entries(now).filter(([field]) => !isPart(field))));
        set(value);
      },
    /** A setter of a field that also clears its error. */
    edited:
      <Value>(field: FormField, set: (value: Value) => void) =>
      (value: Value) => {
        setErrors(({ [field]: _, ...rest }) => rest);
        set(value);
      },
  };
}
