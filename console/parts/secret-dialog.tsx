import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly endpoint: string;
  readonly secret: string;
  readonly onClose: () => void;
  /** True for a rotation: until it is finished, the secret before this one signs, too. */
  readonly isRotation?: boolean;
}

/** Shows a signing secret that was made, this one time. */
export function SecretDialog({ endpoint, secret, onClose, isRotation = false }: Props) {
  return (
    <Dialog title={`The signing secret of ${endpoint}`} onClose={onClose} isCareful>
      <p>
        Give it to the receiver, which checks with it that a request comes from here. It is shown this once.
      </p>
      <div class="secret">
        <code class="mono">{secret}</code>
        <CopyButton class="primary" text={() => secret}>
          Copy
        </CopyButton>
      </div>
      {isRotation && (
        <p class="quiet">
          Requests are signed with the old secret, too, until you finish the rotation: do that once the
          receiver knows the new one.
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  );
}
