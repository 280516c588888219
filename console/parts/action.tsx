import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Disconnected, messageOf } from '../state/api.ts';
import { useWorld } from '../state/use.ts';
import { toast } from './toasts.tsx';

interface Props {
  /** Does it, and returns a text that says what was done. */
  readonly act: () => Promise<string>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
}

/** A button that does something at once, and then says what was done. */
export function Action({ act, children, class: style = '', label }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { refresh } = useWorld();
  const run = async () => {
    setBusy(true);
    try {
      toast(await act());
    } catch (error) {
      toast(failureText(error), { isBad: true });
    } finally {
      setBusy(false);
      refresh();
    }
  };
  return (
    <button
      type="button"
      class={style}
      aria-label={label}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      onClick={() => !isBusy && run()}
    >
      {children}
    </button>
  );
}

/** The error in words. Where the answer was lost, they say that it may have been done. */
export function failureText(error: unknown): string {
  return error instanceof Disconnected
    ? 'Nobody answered. Whether it was done, the list of actions tells when the connection is back.'
    : messageOf(error);
}
