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
  /** The label of the button that does it. */
  readonly label: string;
  readonly tone?: 'bad' | 'primary';
  /** Says what would be done: a dry run of the same request. */
  readonly look: () => Promise<string>;
  /** Does it, and says what was done. */
  readonly act: () => Promise<string>;
  readonly onDone?: () => void;
}

interface Props extends Confirming {
  readonly class?: string;
  readonly children?: ComponentChildren;
}

/** A button for what destroys something, or reaches many people: it first shows what would be done. */
export function ConfirmButton({ class: style = '', children, ...confirming }: Props) {
  const [isOpen, setOpen] = useState(false);
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
  look,
  act,
  onDone,
  onClose,
}: Confirming & { readonly onClose: () => void }) {
  const { refresh } = useWorld();
  const [would, setWould] = useState<{ text?: string; error?: string }>({});
  const [doing, setDoing] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  const [round, setRound] = useState(0);
  // The dry run is made when the dialog opens, and when somebody asks for it again.
  useEffect(() => {
    let isOver = false;
    setWould({});
    look().then(
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
      {would.text === undefined && would.error === undefined && (
        <Loading what="What would be done" rows={2} />
      )}
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
