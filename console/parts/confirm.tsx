import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../state/api.ts';
import { useWorld } from '../state/use.ts';
import { failureText } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { Failed, Loading } from './states.tsx';
import { toast } from './toasts.tsx';

interface Confirming {
  readonly title: string;
  /** The label of the button that runs the action. */
  readonly label: string;
  readonly tone?: 'bad' | 'primary';
  /** A dry run of the request. @returns its result in words */
  readonly preview: () => Promise<string>;
  /** Runs the action. @returns its result for a toast */
  readonly act: () => Promise<string>;
  readonly onDone?: () => void;
}

interface Props extends Confirming {
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A button for an action that deletes or sends a lot: it shows a preview and asks first. Nothing on a read-only
 *  page. */
export function ConfirmButton({ class: style = '', children, ...confirming }: Props) {
  const [isOpen, setOpen] = useState(false);
  if (useWorld().session.isReadOnly) return null;
  return (
    <>
      <button type="button" class={style} onClick={() => setOpen(true)}>
        {children ?? `${confirming.label}…`}
      </button>
      {isOpen && <Confirm {...confirming} onClose={() => setOpen(false)} />}
    </>
  );
}

export function Confirm({
  title,
  label,
  tone = 'primary',
  preview,
  act,
  onDone,
  onClose,
}: Confirming & { readonly onClose: () => void }) {
  const { refresh } = useWorld();
  const [would, setWould] = useState<{ text?: string; error?: string }>({});
  const [doing, setDoing] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const [round, setRound] = useState(0);
  // The dry run starts when the dialog opens, and again on a retry.
  useEffect(() => {
    let isOver = false;
    setWould({});
    preview().then(
      text => !isOver && setWould({ text }),
      error => !isOver && setWould({ error: messageOf(error) }),
    );
    return () => {
      isOver = true;
    };
  }, [round]);
  const run = async () => {
    setDoing({ isBusy: true });
    try {
      toast(await act());
      onClose();
      onDone?.();
    } catch (error) {
      setDoing({ isBusy: false, error: failureText(error) });
    }
    refresh();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {would.error !== undefined && (
        <Failed error={would.error} again={() => setRound(number => number + 1)} />
      )}
      {would.text === undefined && would.error === undefined && <Loading what="The preview" rows={2} />}
      {would.text !== undefined && <p class="lines">{would.text}</p>}
      {doing.error !== undefined && <Failed error={doing.error} />}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={tone}
          disabled={would.text === undefined}
          aria-busy={doing.isBusy}
          onClick={() => !doing.isBusy && run()}
        >
          {label}
        </button>
      </div>
    </Dialog>
  );
}
