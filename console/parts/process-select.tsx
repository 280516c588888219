import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';

type Chosen = Pick<ProcessStatus, 'workspace' | 'process'>;

interface Props {
  readonly processes: readonly ProcessStatus[];
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Selects a process. With several workspaces, it shows their names. */
export function ProcessSelect({ processes, chosen, onChoose }: Props) {
  const hasSeveral = new Set(processes.map(({ workspace }) => workspace)).size > 1;
  const index = processes.findIndex(
    one => one.workspace === chosen.workspace && one.process === chosen.process,
  );
  return (
    <label class="inline">
      <span>Process</span>
      <select
        value={String(index)}
        onChange={event => {
          const one = processes[Number(event.currentTarget.value)];
          if (one) onChoose({ workspace: one.workspace, process: one.process });
        }}
      >
        {processes.map(({ workspace, process }, place) => (
          <option key={`${workspace}/${process}`} value={String(place)}>
            {hasSeveral ? `${workspace}/${process}` : process}
          </option>
        ))}
      </select>
    </label>
  );
}
