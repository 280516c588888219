import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { countText } from '../model/status-words.ts';
import { useWorld } from '../state/use.ts';
import { Action } from './action.tsx';
import { ConfirmButton } from './confirm.tsx';
import { Ago } from './times.tsx';

/** A button that sends the current state of all records to an endpoint. */
export function SnapshotButton({
  endpoint,
  again,
}: {
  readonly endpoint: string;
  readonly again: () => void;
}) {
  const { session } = useWorld();
  const asked = { operation: 'snapshot', to: endpoint } as const;
  return (
    <ConfirmButton
      title={`Send a snapshot to ${endpoint}`}
      label="Snapshot"
      preview={async () => {
        const { projects } = await session.ask({ ...asked, dryRun: true });
        const count = projects ? countText(projects) || '0' : 'all';
        return `The current state of ${count} projects with their tasks will be sent to ${endpoint}, through its filter, beside new events.`;
      }}
      act={async () => {
        await session.ask(asked);
        again();
        return `Snapshot for ${endpoint} started.`;
      }}
    />
  );
}

interface ProgressProps {
  readonly endpoint: string;
  readonly snapshot: NonNullable<EndpointStatus['snapshot']>;
  readonly again: () => void;
}

export function SnapshotProgress({ endpoint, snapshot, again }: ProgressProps) {
  const { session } = useWorld();
  const { startedAt, added, isQueued, process } = snapshot;
  return (
    <div class="note info">
      <p>
        Snapshot from <Ago at={startedAt} />: {added.toLocaleString('en')} events queued
        {isQueued ? ', being sent.' : ` so far${process === undefined ? '' : `, at ${process}`}.`}
      </p>
      {!isQueued && (
        <Action
          class="small"
          act={async () => {
            await session.ask({ operation: 'cancel-snapshot', to: endpoint });
            again();
            return `Snapshot cancelled. ${added} events were already queued.`;
          }}
        >
          Cancel
        </Action>
      )}
    </div>
  );
}
