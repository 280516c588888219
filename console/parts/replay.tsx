import { useRef, useState } from 'preact/hooks';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { countText } from '../model/status-words.ts';
import { beginningOf, localInput, readLocalInput } from '../model/times.ts';
import { useWorld } from '../state/use.ts';
import { Action, failureText, isSingle } from './action.tsx';
import { Dialog } from './dialog.tsx';
import { Failed } from './states.tsx';
import { TextField } from './text-field.tsx';
import { Ago } from './times.tsx';
import { toast } from './toasts.tsx';

/** A button that sends the events since a time again to an endpoint. */
export function ReplayButton({ endpoint, again }: { readonly endpoint: string; readonly again: () => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Replay since…
      </button>
      {isOpen && (
        <ReplayDialog
          endpoint={endpoint}
          onClose={() => {
            setOpen(false);
            again();
          }}
        />
      )}
    </>
  );
}

type Asked = RequestOf<'replay'>;

interface ReplayState {
  readonly isBusy: boolean;
  readonly error?: string;
  /** The request to send, and its number of events. */
  readonly preview?: { readonly asked: Asked; readonly would: string };
}

/** Shows the number of events, then sends them. */
function ReplayDialog({ endpoint, onClose }: { readonly endpoint: string; readonly onClose: () => void }) {
  const { session, refresh } = useWorld();
  const [since, setSince] = useState(() => localInput(beginningOf('last-hour', Date.now())));
  const [until, setUntil] = useState('');
  const [state, setState] = useState<ReplayState>({ isBusy: false });
  const range = useRef<HTMLDivElement>(null);
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setState({ isBusy: false });
  };
  const request = (): Asked => {
    const [from, to] = [readLocalInput(since), readLocalInput(until)];
    const end = to === undefined ? {} : { until: new Date(to).toISOString() };
    // A half-filled input has no value, so that Until would mean now.
    if (from === undefined || range.current?.querySelector('input:invalid'))
      throw new Error('Enter a date and a time under Since, and under Until both or nothing.');
    return { operation: 'replay', to: endpoint, since: new Date(from).toISOString(), ...end };
  };
  const run = async () => {
    if (state.isBusy) return;
    const { preview } = state;
    const busy = { ...state, isBusy: true };
    setState(busy);
    // The answer to a preview of other times than the dialog now has is dropped.
    const answered = (next: ReplayState) => setState(known => (known === busy || preview ? next : known));
    try {
      const asked = request();
      const { events } = await session.ask(preview?.asked ?? { ...asked, dryRun: true });
      if (!preview) {
        const would = events === undefined ? 'Some events' : `${countText(events)} events`;
        answered({ isBusy: false, preview: { asked, would } });
        return;
      }
      refresh();
      toast(`Replay to ${endpoint} started.`);
      onClose();
    } catch (error) {
      answered({ isBusy: false, error: failureText(error) });
    }
  };
  return (
    <Dialog title={`Replay to ${endpoint}`} onClose={onClose}>
      <div class="two" ref={range}>
        <TextField
          label="Since"
          hint="Local time."
          type="datetime-local"
          required
          value={since}
          onChange={change(setSince)}
        />
        <TextField
          label="Until"
          hint="Empty = now."
          type="datetime-local"
          value={until}
          onChange={change(setUntil)}
        />
      </div>
      <p role="status">
        {state.preview === undefined
          ? 'Events in this range that match the filter are sent again with the same ids.'
          : `${state.preview.would} will be sent to ${endpoint} again. The receiver can drop duplicates by their ids.`}
      </p>
      {state.error !== undefined && <Failed error={state.error} />}
      <div class="dialog-foot">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          aria-busy={state.isBusy}
          onClick={event => isSingle(event) && run()}
        >
          {state.preview === undefined ? 'Preview' : 'Replay'}
        </button>
      </div>
    </Dialog>
  );
}

interface ProgressProps {
  readonly endpoint: string;
  readonly replay: NonNullable<EndpointStatus['replay']>;
  readonly again: () => void;
}

export function ReplayProgress({ endpoint, replay, again }: ProgressProps) {
  const { session } = useWorld();
  return (
    <div class="note info">
      <p>
        Replay running, from <Ago at={replay.since} /> to <Ago at={replay.until} />:{' '}
        {replay.percent === undefined
          ? `${replay.added.toLocaleString('en')} events queued.`
          : `${replay.percent} % of ${replay.added.toLocaleString('en')} events sent.`}
      </p>
      {replay.percent === undefined && (
        <Action
          class="small"
          act={async () => {
            const { added } = await session.ask({ operation: 'cancel-replay', to: endpoint });
            again();
            return `Replay cancelled. ${added} events were already queued.`;
          }}
        >
          Cancel
        </Action>
      )}
    </div>
  );
}
