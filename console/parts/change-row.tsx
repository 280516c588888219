import type { ComponentChildren } from 'preact';
import type { ChangeLine } from '../model/change-line.ts';
import { By, What, Where } from './change.tsx';
import { Ago } from './times.tsx';

interface Props {
  readonly line: ChangeLine;
  /** Instead of project and task. */
  readonly where?: ComponentChildren;
  /** The process, in a column of its own; an empty text keeps the column. */
  readonly process?: string | undefined;
  /** Whether the list has a column for actors. */
  readonly hasActors: boolean;
}

/** The content of a row: what changed, by whom and when. */
export function ChangeRow({ line, where, process, hasActors }: Props) {
  return (
    <>
      {process !== undefined && (
        <span class="process-column" title={process}>
          {process !== '' && <bdi class="process-tag">{process}</bdi>}
        </span>
      )}
      <span class="where">{where ?? <Where line={line} />}</span>
      <span class="what">
        <What line={line} />
      </span>
      {hasActors && (
        <span class="line-by">
          <By line={line} />
        </span>
      )}
      <span class="when">
        <Ago at={line.at} />
      </span>
    </>
  );
}

export function hasActors(lines: readonly ChangeLine[]): boolean {
  return lines.some(({ by }) => by !== undefined);
}
