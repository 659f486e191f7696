/**
 * Counters, gauges and histograms in the Prometheus text format
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). Small enough that no library is worth it.
 */

export type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample> | Promise<Iterable<Sample>>;
}

/** Label sets one family keeps; routes and statuses are few, so more is a fault that must not eat the memory. */
const MOST_SERIES = 2_000;

export class Metrics {
  readonly #families = new Map<string, Family>();

  /** A number that only grows. Answers how to add to it. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void {
    const series = new Series(() => ({ value: 0 }));
    this.#add({
      name,
      help,
      type: 'counter',
      samples: () => series.all().map(({ labels, state }) => ({ labels, value: state.value })),
    });
    return (labels = {}, by = 1) => {
      const state = series.at(labels);
      if (state !== null) state.value += by;
    };
  }

  /** How values spread over buckets, each counting what is at most its bound. Answers how to put one in. */
  histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels, value: number) => void {
    const series = new Series(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
    this.#add({
      name,
      help,
      type: 'histogram',
      samples: () =>
        series.all().flatMap(({ labels, state }) => [
          ...bounds.map((bound, index) => ({
            suffix: '_bucket',
            labels: { ...labels, le: String(bound) },
            value: state.counts[index] ?? 0,
          })),
          { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: state.count },
          { suffix: '_sum', labels, value: state.sum },
          { suffix: '_count', labels, value: state.count },
        ]),
    });
    return (labels, value) => {
      const state = series.at(labels);
      if (state === null) return;
      state.sum += value;
      state.count += 1;
      bounds.forEach((bound, index) => {
        if (value <= bound) state.counts[index] = (state.counts[index] ?? 0) + 1;
      });
    };
  }

  /** Values that are read when somebody asks. */
  gauge(
    name: string,
    help: string,
    read: () =>
      | readonly { labels?: Labels; value: number }[]
      | Promise<readonly { labels?: Labels; value: number }[]>,
    type: 'gauge' | 'counter' = 'gauge',
  ): void {
    this.#add({
      name,
      help,
      type,
      samples: async () => (await read()).map(({ labels = {}, value }) => ({ labels, value })),
    });
  }

  /** All of it as text. */
  async render(): Promise<string> {
    const lines: string[] = [];
    for (const { name, help, type, samples } of this.#families.values()) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const { suffix = '', labels, value } of await samples()) {
        lines.push(`${name}${suffix}${renderLabels(labels)} ${value}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #add(family: Family): void {
    if (this.#families.has(family.name)) throw new Error(`metric ${family.name} exists already`);
    this.#families.set(family.name, family);
  }
}

/** One state for each set of labels. */
class Series<State> {
  readonly #make: () => State;
  readonly #entries = new Map<string, { labels: Labels; state: State }>();

  constructor(make: () => State) {
    this.#make = make;
  }

  /** Null when there are too many. */
  at(labels: Labels): State | null {
    const key = renderLabels(labels);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      if (this.#entries.size >= MOST_SERIES) return null;
      entry = { labels, state: this.#make() };
      this.#entries.set(key, entry);
    }
    return entry.state;
  }

  all(): { labels: Labels; state: State }[] {
    return [...this.#entries.values()];
  }
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
