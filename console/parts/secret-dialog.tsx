import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly endpoint: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** True during a rotation, in which the former secret is also used. */
  readonly isRotation?: boolean;
}

/** Shows a new signing secret, once. */
export function SecretDialog({ endpoint, secret, onClose, isRotation = false }: Props) {
  return (
    <Dialog title={`Signing secret of ${endpoint}`} onClose={onClose} isCareful>
      <p>The receiver needs it to verify our requests. It won't be shown again.</p>
      <div class="secret">
        <code class="mono">{secret}</code>
        <CopyButton class="primary" text={() => secret}>
          Copy
        </CopyButton>
      </div>
      {isRotation && (
        <p class="quiet">
          Requests are also signed with the old secret until you finish the rotation. Finish it once the
          receiver has the new one.
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          I've saved it
        </button>
      </div>
    </Dialog>
  );
}
