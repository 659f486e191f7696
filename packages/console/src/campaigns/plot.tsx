import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { clockTime, fullTime } from '../lib/time.ts';
import { niceScale } from './plot-scale.ts';

export interface Series {
  readonly name: string;
  /** Chooses the colour, by the style sheet. */
  readonly kind: string;
  readonly values: readonly number[];
}

interface PlotProps {
  readonly title: string;
  /** Milliseconds since the epoch, one for each value. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

/** Until the place is measured. */
const FIRST_WIDTH = 600;
const HEIGHT = 190;
const LEFT = 46;
const RIGHT = 10;
const TOP = 10;
const BOTTOM = 24;

/**
 * Lines over time. The drawing is for eyes; its numbers are read out where the pointer or the arrow keys are, and
 * stand in a table too.
 */
export function Plot({ title, times, series }: PlotProps) {
  const id = useId();
  const area = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  const [at, setAt] = useState<number | null>(null);

  // Drawn at its true size, so that its words stay readable on a phone.
  useEffect(() => {
    if (area.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(area.current);
    return () => observer.disconnect();
  }, []);

  const last = times.length - 1;
  const { top, ticks } = niceScale(Math.max(0, ...series.flatMap(({ values }) => values)));
  const first = times[0] ?? 0;
  const span = Math.max(1, (times[last] ?? 0) - first);
  const x = (index: number) =>
    times.length === 1
      ? LEFT + (width - LEFT - RIGHT) / 2
      : LEFT + (((times[index] ?? 0) - first) / span) * (width - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const label = (time: number) => timeLabel(time, span);

  function point(event: PointerEvent<HTMLElement>): void {
    const box = event.currentTarget.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * width;
    let nearest = 0;
    for (let index = 0; index <= last; index += 1) {
      if (Math.abs(x(index) - place) < Math.abs(x(nearest) - place)) nearest = index;
    }
    setAt(nearest);
  }

  function move(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowLeft: (at ?? last + 1) - 1,
      ArrowRight: (at ?? -1) + 1,
      Home: 0,
      End: last,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(last, next)));
  }

  const shown = at === null || at > last ? null : at;
  return (
    <figure className="plot" aria-labelledby={id}>
      <figcaption className="plot-head">
        <span id={id} className="plot-title">
          {title}
        </span>
        <ul className="plot-legend">
          {series.map(({ name, kind, values }) => (
            <li key={name}>
              <span className={`share-dot tone-${kind}`} aria-hidden="true" />
              <strong>{(values[shown ?? last] ?? 0).toLocaleString()}</strong> {name}
            </li>
          ))}
        </ul>
        <span className="plot-at">{shown === null ? '' : label(times[shown] ?? 0)}</span>
      </figcaption>
      <div
        ref={area}
        className="plot-area"
        role="slider"
        tabIndex={0}
        aria-label={`${title}, point by point`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={shown ?? Math.max(0, last)}
        aria-valuetext={valueText(times, series, shown ?? last)}
        onPointerMove={point}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={move}
      >
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} aria-hidden="true" focusable="false">
          {ticks.map((tick) => (
            <g key={tick}>
              <line className="plot-grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
              <text className="plot-tick" x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {compact.format(tick)}
              </text>
            </g>
          ))}
          {placesOf(last, width).map((index) => (
            <text
              key={index}
              className="plot-tick"
              x={x(index)}
              y={HEIGHT - 6}
              textAnchor={index === 0 && last > 0 ? 'start' : index === last && last > 0 ? 'end' : 'middle'}
            >
              {label(times[index] ?? 0)}
            </text>
          ))}
          {series.map(({ name, kind, values }) =>
            values.length === 1 ? (
              <circle key={name} className={`plot-dot tone-${kind}`} cx={x(0)} cy={y(values[0] ?? 0)} r={4} />
            ) : (
              <polyline
                key={name}
                className={`plot-line tone-${kind}`}
                points={values
                  .map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
                  .join(' ')}
              />
            ),
          )}
          {shown !== null && (
            <g>
              <line className="plot-cursor" x1={x(shown)} x2={x(shown)} y1={TOP} y2={HEIGHT - BOTTOM} />
              {series.map(({ name, kind, values }) => (
                <circle
                  key={name}
                  className={`plot-dot tone-${kind}`}
                  cx={x(shown)}
                  cy={y(values[shown] ?? 0)}
                  r={3.5}
                />
              ))}
            </g>
          )}
        </svg>
      </div>
      <details className="plot-numbers">
        <summary>Numbers</summary>
        <div className="table-frame table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.slice(-MOST_ROWS).map((time, row) => (
                <tr key={time}>
                  <th scope="row">{fullTime(new Date(time).toISOString())}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} className="number">
                      {(values[Math.max(0, times.length - MOST_ROWS) + row] ?? 0).toLocaleString()}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

const MOST_ROWS = 200;
const HOUR = 3_600_000;
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short' });

/** As much of a time as tells the points of a plot apart. */
function timeLabel(time: number, span: number): string {
  if (span > 96 * HOUR) return day.format(time);
  const clock = clockTime(new Date(time).toISOString());
  return span > 18 * HOUR ? `${weekday.format(time)} ${clock}` : clock;
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Where the times are written: both ends and what fits between them. */
function placesOf(last: number, width: number): readonly number[] {
  if (last <= 0) return last === 0 ? [0] : [];
  if (width < 400) return [0, last];
  return [...new Set([0, Math.round(last / 3), Math.round((2 * last) / 3), last])];
}

function valueText(times: readonly number[], series: readonly Series[], index: number): string {
  const time = times[index];
  if (time === undefined) return 'nothing yet';
  const values = series.map(({ name, values: all }) => `${(all[index] ?? 0).toLocaleString()} ${name}`);
  return `${fullTime(new Date(time).toISOString())}: ${values.join(', ')}`;
}
