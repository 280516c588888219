import { FILTER_LABELS } from '../model/filter-form.ts';
import {
  type ConditionRow,
  NO_CONDITION,
  repeatedIn,
  TEST_GROUPS,
  valuesOf,
  type WhereForm,
} from '../model/where-form.ts';

interface Props {
  readonly groups: WhereForm;
  /** The id of a list of fields. */
  readonly list: string;
  readonly onChange: (groups: WhereForm) => void;
}

/** Groups of conditions on fields: all of one group must hold. */
export function Where({ groups, list, onChange }: Props) {
  const set = (at: number, rows: readonly ConditionRow[]) =>
    onChange(groups.map((each, place) => (place === at ? rows : each)).filter(each => each.length > 0));
  const repeated = repeatedIn(groups);
  return (
    <fieldset>
      <legend>
        {FILTER_LABELS.where}{' '}
        <span class="quiet">
          {groups.length === 0
            ? 'none'
            : 'On the record as it now is. “project.” before a field means the project of a task; dates can be “today” or “+7d”.'}
        </span>
      </legend>
      {groups.map((rows, at) => (
        <div key={at}>
          {at > 0 && <p class="quiet">or</p>}
          {rows.map((row, index) => (
            <Condition
              key={index}
              row={row}
              list={list}
              label={`condition ${index + 1} of group ${at + 1}`}
              onChange={next =>
                set(
                  at,
                  rows.flatMap((each, place) => (place === index ? (next ?? []) : each)),
                )
              }
            />
          ))}
          <button type="button" class="small" onClick={() => set(at, [...rows, NO_CONDITION])}>
            And
          </button>
        </div>
      ))}
      {repeated && (
        <p class="hint bad-text" role="alert">
          A group has this condition on {repeated.field} twice: use one row with both values, or another
          group.
        </p>
      )}
      <button type="button" class="small" onClick={() => onChange([...groups, [NO_CONDITION]])}>
        {groups.length === 0 ? 'Add a condition on the record' : 'Or'}
      </button>
    </fieldset>
  );
}

interface ConditionProps {
  readonly row: ConditionRow;
  readonly list: string;
  readonly label: string;
  /** Undefined removes the row. */
  readonly onChange: (row: ConditionRow | undefined) => void;
}

function Condition({ row, list, label, onChange }: ConditionProps) {
  const choices = valuesOf(row.test);
  const choose = (test: string) => {
    const only = valuesOf(test);
    const value = only && !only.includes(row.value) ? (only[0] ?? '') : row.value;
    onChange({ ...row, test, value });
  };
  return (
    <div class="condition-row">
      <input
        type="text"
        list={list}
        placeholder="Field"
        aria-label={`Field of ${label}`}
        value={row.field}
        onInput={event => onChange({ ...row, field: event.currentTarget.value })}
      />
      <select
        aria-label={`Test of ${label}`}
        value={row.test}
        onChange={event => choose(event.currentTarget.value)}
      >
        {TEST_GROUPS.map(group => (
          <optgroup key={group.label} label={group.label}>
            {group.tests.map(([test, words]) => (
              <option key={test} value={test}>
                {words}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {choices ? (
        <select
          aria-label={`Value of ${label}`}
          value={row.value}
          onChange={event => onChange({ ...row, value: event.currentTarget.value })}
        >
          {choices.map(choice => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          placeholder="Value"
          aria-label={`Value of ${label}`}
          value={row.value}
          onInput={event => onChange({ ...row, value: event.currentTarget.value })}
        />
      )}
      <button type="button" class="plain" aria-label={`Remove ${label}`} onClick={() => onChange(undefined)}>
        ×
      </button>
    </div>
  );
}
