import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** What is shown may not come again: a click beside it doesn't close it. */
  readonly isCareful?: boolean;
  readonly isWide?: boolean;
}

/** A dialog over the page. The browser keeps the focus inside, and closes it with Escape: that can't be prevented each time, so it is
 *  obeyed. */
export function Dialog({ title, onClose, children, isCareful = false, isWide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  /** Its own end is told as an event, too, and that comes later. */
  const isGone = useRef(false);
  // Not after the next drawing: till then a key would be pressed on nothing.
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
