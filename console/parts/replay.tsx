import { useState } from 'preact/hooks';
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

/** Shows the number of events, then sends them. */
function ReplayDialog({ endpoint, onClose }: { readonly endpoint: string; readonly onClose: () => void }) {
  const { session, refresh } = useWorld();
  const [since, setSince] = useState(() => localInput(beginningOf('last-hour', Date.now())));
  const [until, setUntil] = useState('');
  const [state, setState] = useState<{ isBusy: boolean; error?: string; would?: string }>({ isBusy: false });
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setState({ isBusy: false });
  };
  const request = (dryRun: boolean) => {
    const [from, to] = [readLocalInput(since), readLocalInput(until)];
    if (from === undefined) throw new Error('Enter a date and a time under Since.');
    const end = to === undefined ? {} : { until: new Date(to).toISOString() };
    const asked = { operation: 'replay', to: endpoint, since: new Date(from).toISOString(), ...end } as const;
    return session.ask(dryRun ? { ...asked, dryRun } : asked);
  };
  const run = async () => {
    if (state.isBusy) return;
    const isPreview = state.would === undefined;
    setState({ ...state, isBusy: true });
    try {
      const { events } = await request(isPreview);
      if (isPreview) {
        setState({
          isBusy: false,
          would: events === undefined ? 'Some events' : `${countText(events)} events`,
        });
        return;
      }
      refresh();
      toast(`Replay to ${endpoint} started.`);
      onClose();
    } catch (error) {
      setState({ isBusy: false, error: failureText(error) });
    }
  };
  return (
    <Dialog title={`Replay to ${endpoint}`} onClose={onClose}>
      <div class="two">
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
        {state.would === undefined
          ? 'Events in this range that match the filter are sent again with the same ids.'
          : `${state.would} will be sent to ${endpoint} again. The receiver can drop duplicates by their ids.`}
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
          {state.would === undefined ? 'Preview' : 'Replay'}
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
