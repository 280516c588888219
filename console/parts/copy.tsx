import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toast } from './toasts.tsx';

interface Props {
  readonly text: () => string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** There is nothing to copy yet. */
  readonly disabled?: boolean;
}

const TOLD_MS = 2_000;

/** Copies a text, and says that it did. */
export function CopyButton({ text, children, class: style = '', disabled = false }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
      setTimeout(() => setCopied(false), TOLD_MS);
    } catch {
      toast('The browser does not let this page copy. Select the text, and copy it by hand.', {
        isBad: true,
      });
    }
  };
  return (
    <button type="button" class={style} disabled={disabled} onClick={copy}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </button>
  );
}
