import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** The error of its value. */
  readonly error?: string | undefined;
  readonly children: (id: string, hintId: string | undefined) => ComponentChildren;
}

/** A labelled form field. */
export function Field({ label, hint, error, children }: Props) {
  const id = useId();
  const hintId = hint === undefined && error === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field-box">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hintId !== undefined && (
        <p id={hintId} class={error === undefined ? 'hint' : 'hint bad-text'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}
