import { useMemo } from 'preact/hooks';
import type { ChangeLine } from '../model/change-line.ts';
import { counted } from '../model/counted.ts';
import type { LineFilter } from '../model/line-filter.ts';
import { addressOf } from '../model/routes.ts';
import { type Who, whoChanged } from '../model/who.ts';
import { useNarrow } from './use-narrow.ts';

interface Props {
  readonly lines: readonly ChangeLine[];
  readonly filter: LineFilter;
}

const SHADES = 4;

/** A table of actors and the fields that they change; nothing if no actor is known. */
export function WhoChanged({ lines, filter }: Props) {
  const isNarrow = useNarrow();
  const who = useMemo(() => whoChanged(lines), [lines]);
  if (!who) return null;
  const { subjects, actors, changes, known, left } = who;
  const max = Math.max(SHADES, ...actors.flatMap(({ counts }) => counts));
  const address = (person: string, field = '') =>
    addressOf('history', undefined, { ...filter, person, field });
  return (
    // Folded on a phone, where the first change would not be visible.
    <details class="sheet padded" open={!isNarrow}>
      <summary>
        <b>Who changed what</b>{' '}
        <span class="quiet">
          Of {counted(changes, 'change')}, {known.toLocaleString('en')} {known === 1 ? 'has' : 'have'} a known
          author.
          {left > 0 && ` The ${actors.length} most frequent are shown.`}
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <section class="table-box" aria-label="Who changed what" tabIndex={0}>
        <table class="who">
          <thead>
            <tr>
              <th scope="col">Who</th>
              {subjects.map(({ text, action }) => (
                <th key={`${action} ${text}`} scope="col" class="number">
                  <bdi>{text}</bdi>
                </th>
              ))}
              <th scope="col" class="number">
                All
              </th>
            </tr>
          </thead>
          <tbody>
            {actors.map(({ id, name, counts, sum }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={address(name)}>
                    <bdi>{name}</bdi>
                  </a>
                </th>
                {counts.map((count, place) => (
                  <Cell
                    key={place}
                    count={count}
                    max={max}
                    href={hrefOf(subjects[place], field => address(name, field))}
                  />
                ))}
                <td class="number">{sum.toLocaleString('en')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

/** Only fields have a filter of their own. */
function hrefOf(subject: Who['subjects'][number] | undefined, address: (field: string) => string) {
  return subject?.field === undefined ? undefined : address(subject.field);
}

function Cell({ count, max, href }: { count: number; max: number; href: string | undefined }) {
  if (count === 0) return <td class="number quiet">–</td>;
  const text = count.toLocaleString('en');
  return (
    <td class={`number heat-${Math.ceil((count / max) * SHADES)}`}>
      {href === undefined ? text : <a href={href}>{text}</a>}
    </td>
  );
}
