import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** A click outside does not close the dialog, because its content would be lost. */
  readonly isCareful?: boolean;
  readonly isWide?: boolean;
}

/** A modal dialog. Escape always closes it, because a page cannot reliably prevent that. */
export function Dialog({ title, onClose, children, isCareful = false, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  /** Set when the dialog is removed: closing it then sends a late `close` event, which must be ignored. */
  const isGone = useRef(false);
  // A layout effect: with a later one, a key pressed before it would be lost.
  useLayoutEffect(() => {
    const { current } = dialog;
    const before = document.activeElement;
    current?.showModal();
    return () => {
      isGone.current = true;
      current?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const clicked = (event: MouseEvent) => {
    if (!isCareful && event.target === dialog.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it without a mouse
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : ''}
      aria-labelledby={heading}
      onClick={clicked}
      onCancel={onClose}
      onClose={() => {
        if (!isGone.current) onClose();
      }}
    >
      <div class="dialog">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
