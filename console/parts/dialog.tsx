import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What the dialog shows can't be had again: a click beside it doesn't close it. */
  readonly isCareful?: boolean;
  readonly isWide?: boolean;
}

/** A dialog over the page. The browser keeps the focus inside. It closes the dialog at Escape, which
 *  can't always be prevented, so Escape always closes it. */
export function Dialog({ title, onClose, children, isCareful = false, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  /** Set when the dialog is removed: closing it then also sends a `close` event, later, which must be
   *  ignored. */
  const isGone = useRef(false);
  // A layout effect, because one after the next drawing would be too late: a key pressed until then would
  // be lost.
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it for who has no mouse
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
