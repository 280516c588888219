import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toast } from './toasts.tsx';

interface Props {
  readonly text: () => string;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** True while there is nothing to copy. */
  readonly disabled?: boolean;
}

const CONFIRMED_MS = 2_000;

/** Copies a text, and confirms it on the button. */
export function CopyButton({ text, children, class: style = '', disabled = false }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
      setTimeout(() => setCopied(false), CONFIRMED_MS);
    } catch {
      toast('The browser does not allow this page to copy. Select the text, and copy it manually.', {
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
