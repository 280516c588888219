import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type TimeAxis, ticksOf } from '../model/time-axis.ts';

/** The plot of a chart is stretched to the width of the page: one unit for each part of the axis, and PLOT_HEIGHT
 *  units for the largest value. */
export const PLOT_HEIGHT = 100;

interface ChartProps {
  readonly axis: TimeAxis;
  readonly title: string;
  /** The largest value, in words. */
  readonly max: string;
  readonly legend?: readonly { readonly tone: string; readonly text: string }[];
  /** Shapes in units of the plot. */
  readonly children: ComponentChildren;
}

/** A chart over time. It is hidden from screen readers: a caption and a table beside it have the same contents. */
export function Chart({ axis, title, max, legend = [], children }: ChartProps) {
  const ticks = ticksOf(axis);
  return (
    <div class="chart" aria-hidden="true">
      <div class="chart-head">
        <span class="chart-title">{title}</span>
        <span class="quiet">max. {max}</span>
        {legend.map(({ tone, text }) => (
          <span key={tone} class="chart-key">
            <span class={`swatch ${tone}`} />
            <bdi>{text}</bdi>
          </span>
        ))}
      </div>
      <svg
        class="chart-plot"
        viewBox={`0 0 ${axis.count} ${PLOT_HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {ticks.map(({ place }) => (
          <path key={place} class="chart-grid" d={`M${place * axis.count} 0V${PLOT_HEIGHT}`} />
        ))}
        {children}
      </svg>
      <TimeLabels axis={axis} />
    </div>
  );
}

/** A label too near to the end would be cut off. */
const MAX_PLACE = 0.93;

/** The times below a chart. */
export function TimeLabels({ axis }: { readonly axis: TimeAxis }) {
  return (
    <div class="chart-axis">
      {ticksOf(axis)
        .filter(({ place }) => place < MAX_PLACE)
        .map(({ place, text }) => (
          <span key={place} style={{ left: `${place * 100}%` }}>
            {text}
          </span>
        ))}
    </div>
  );
}

interface BarProps {
  readonly part: number;
  readonly value: number;
  /** The sum of the values below it. */
  readonly below?: number;
  readonly max: number;
  /** The least height, in units of the plot. */
  readonly min?: number;
  readonly tone: string;
}

export function Bar({ part, value, below = 0, max, min = 3, tone }: BarProps) {
  if (value <= 0 || max <= 0) return null;
  const height = Math.max(min, (value / max) * PLOT_HEIGHT);
  const y = Math.max(0, PLOT_HEIGHT - (below / max) * PLOT_HEIGHT - height);
  return <rect class={`fill ${tone}`} x={part + 0.08} width={0.84} y={y} height={height} />;
}

interface LineProps {
  /** A value for each part; undefined leaves a gap. */
  readonly values: readonly (number | undefined)[];
  readonly max: number;
  readonly tone: string;
}

/** The stroke of the largest value is within the plot. */
const LINE_HEIGHT = PLOT_HEIGHT - 3;

export function Line({ values, max, tone }: LineProps) {
  const y = (value: number) => PLOT_HEIGHT - (value / Math.max(1, max)) * LINE_HEIGHT;
  const path = values.map((value, part) => {
    if (value === undefined) return '';
    const at = y(value);
    // A part without neighbours is a short line.
    return values[part - 1] === undefined
      ? `M${part + 0.1} ${at}H${part + 0.9}`
      : `L${part + 0.5} ${at}H${part + 0.9}`;
  });
  return <path class={`stroke ${tone}`} d={path.join('')} />;
}

interface TableProps {
  readonly name: string;
  readonly heads: readonly ComponentChildren[];
  /** Called while the table is open. */
  readonly rows: () => readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}

/** The contents of a chart as a table. */
export function ChartTable({ name, heads, rows }: TableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="chart-table" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard */}
      <section class="chart-table-box" aria-label={name} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((head, index) => (
                <th key={index} scope="col" class={index > 0 ? 'number' : ''}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(isOpen ? rows() : []).map(({ key, cells: [first, ...rest] }) => (
              <tr key={key}>
                <th scope="row">{first}</th>
                {rest.map((cell, index) => (
                  <td key={index} class="number">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
