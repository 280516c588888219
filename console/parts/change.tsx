import { Fragment } from 'preact';
import type { ChangeLine, ChangeText } from '../model/change-line.ts';
import type { ValueText } from '../model/value.ts';

/** The record of a change: project › task. */
export function Where({ line }: { readonly line: ChangeLine }) {
  const { project, task, definition, process } = line;
  const steps = [project?.name, task?.name, definition].filter(step => step !== undefined);
  if (steps.length === 0) return <bdi class="where-last">{process}</bdi>;
  return (
    <>
      {steps.map((step, index) => (
        <Fragment key={index}>
          {index > 0 && <span class="step"> › </span>}
          <bdi class={index === steps.length - 1 ? 'where-last' : 'where-first'}>{step}</bdi>
        </Fragment>
      ))}
    </>
  );
}

/** The change in one line. */
export function What({ line }: { readonly line: ChangeLine }) {
  const { action, changes, more, note, type } = line;
  const isWhole = action !== 'updated' && note === undefined;
  return (
    <>
      {isWhole && <span class={`verb ${VERBS[action] ?? 'quiet'}`}>{VERBS[action] ? action : type}</span>}
      {note !== undefined && <span class="note-text">{note}</span>}
      {changes.map((change, index) => (
        <Fragment key={index}>
          {index > 0 && <span class="comma">, </span>}
          <OneChange change={change} isNew={isWhole} />
        </Fragment>
      ))}
      {more > 0 && <span class="quiet"> and {more} more</span>}
    </>
  );
}

/** `by Ann Lee`, after a separator if given; nothing if not known. */
export function By({ line: { by }, after = '' }: { readonly line: ChangeLine; readonly after?: string }) {
  if (by === undefined) return null;
  return (
    <span class="by" title={`by ${by}`}>
      {after}by <bdi>{by}</bdi>
    </span>
  );
}

const VERBS: Readonly<Record<string, string>> = {
  created: 'good',
  deleted: 'bad',
  archived: 'warn',
  recovered: 'good',
};

/** `Status: To do → Done`. */
export function OneChange({
  change,
  isNew = false,
}: {
  readonly change: ChangeText;
  readonly isNew?: boolean;
}) {
  const { label, from, to, choices } = change;
  return (
    <span class="change">
      <bdi class="field">{label}</bdi>
      {': '}
      {choices ? (
        <Choices choices={choices} />
      ) : (
        <>
          {!isNew && (
            <>
              <Value text={from} isOld />
              <span class="arrow" role="img" aria-label="to">
                {' → '}
              </span>
            </>
          )}
          <Value text={isNew ? (to ?? from) : to} />
        </>
      )}
    </span>
  );
}

function Choices({ choices }: { readonly choices: NonNullable<ChangeText['choices']> }) {
  return (
    <>
      {choices.map(({ sign, text }, index) => (
        <Fragment key={index}>
          {index > 0 && ', '}
          <span class={sign === '+' ? 'came' : 'went'}>
            <span role="img" aria-label={sign === '+' ? 'added' : 'removed'}>
              {sign}
            </span>
            <bdi>{text}</bdi>
          </span>
        </Fragment>
      ))}
    </>
  );
}

export function Value({ text, isOld = false }: { readonly text: ValueText; readonly isOld?: boolean }) {
  if (text === undefined) return <span class="empty-value">empty</span>;
  return <bdi class={isOld ? 'old-value' : 'value'}>{text}</bdi>;
}
