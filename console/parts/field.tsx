import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: (id: string, hintId: string | undefined) => ComponentChildren;
}

/** A labelled field of a form. */
export function Field({ label, hint, children }: Props) {
  const id = useId();
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field-box">
      <label for={id}>{label}</label>
      {children(id, hintId)}
      {hint !== undefined && (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
