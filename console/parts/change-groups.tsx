import { useMemo } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import { counted } from '../model/counted.ts';
import { type ChangeGroup, groupName } from '../model/history.ts';
import { addressOf } from '../model/routes.ts';
import { ChangeRow, hasActors } from './change-row.tsx';
import { LongList } from './long-list.tsx';
import { Ago } from './times.tsx';

interface Props {
  readonly groups: readonly ChangeGroup[];
  readonly showProcess: boolean;
}

/** The head of a group, or one of its changes. */
interface Row {
  readonly key: string;
  readonly href: string;
  readonly group: ChangeGroup;
  readonly line?: ChangeLine;
  /** Whether the line before is of the same record. */
  readonly isRepeated?: boolean;
}

/** Changes by project in one list: a project leads to its timeline, a change to its event. */
export function ChangeGroups({ groups, showProcess }: Props) {
  const rows = useMemo(() => groups.flatMap(rowsOf), [groups]);
  const withActors = useMemo(() => hasActors(groups.flatMap(({ lines }) => lines)), [groups]);
  return (
    <LongList
      label="Changes by project"
      rows={rows}
      keyOf={({ key }) => key}
      hrefOf={({ href }) => href}
      classOf={({ line }) => (line ? '' : 'line-head')}
      isPage
    >
      {({ group, line, isRepeated = false }) =>
        line ? (
          <ChangeRow
            line={line}
            {...(group.project && { where: <Record line={line} isRepeated={isRepeated} /> })}
            hasActors={withActors}
          />
        ) : (
          <Head group={group} showProcess={showProcess} />
        )
      }
    </LongList>
  );
}

function rowsOf(group: ChangeGroup): Row[] {
  const { key, workspace, process, project, lines } = group;
  const href = project
    ? addressOf('history', undefined, { workspace, process, project: project.id })
    : addressOf('history', undefined, { process: `${workspace}/${process}` });
  return [
    { key, href, group },
    ...lines.map((line, index) => ({
      key: `${line.id} ${line.changes[0]?.field ?? ''}`,
      href: addressOf('event', line.id),
      ...{ group, line },
      isRepeated: index > 0 && lines[index - 1]?.task?.id === line.task?.id,
    })),
  ];
}

function Record({ line: { task }, isRepeated }: { readonly line: ChangeLine; readonly isRepeated: boolean }) {
  if (!task) return <span class="quiet">The project</span>;
  return <bdi class={isRepeated ? 'quiet' : 'where-last'}>{task.name}</bdi>;
}

function Head({ group, showProcess }: { readonly group: ChangeGroup; readonly showProcess: boolean }) {
  return (
    <>
      <span class="where">
        <bdi class="where-last">{groupName(group)}</bdi>
        {showProcess && <bdi class="process-tag">{group.process}</bdi>}
      </span>
      <span class="when">
        {counted(group.lines.length, 'change')}, latest <Ago at={group.at} />
      </span>
    </>
  );
}
