import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Disconnected, messageOf } from '../state/api.ts';
import { useWorld } from '../state/use.ts';
import { toast } from './toasts.tsx';

interface Props {
  /** Runs the action. @returns its result for a toast */
  readonly act: () => Promise<string>;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly label?: string;
}

/** A button that runs an action at once, and shows its result; nothing on a read-only page. */
export function Action({ act, children, class: style = '', label }: Props) {
  const [isBusy, setBusy] = useState(false);
  const { refresh, session } = useWorld();
  if (session.isReadOnly) return null;
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
      onClick={event => !isBusy && isSingle(event) && run()}
    >
      {children}
    </button>
  );
}

/** Whether a click is not the second one of a double-click, which would run what the button does after the first one's
 *  answer. A click with the keyboard has the detail 0. */
export function isSingle({ detail }: MouseEvent): boolean {
  return detail < 2;
}

/** The text of an error. After a lost answer, the action may have been done. */
export function failureText(error: unknown): string {
  return error instanceof Disconnected
    ? 'Connection lost. The action may have been done: check the list of actions once the connection is back.'
    : messageOf(error);
}
