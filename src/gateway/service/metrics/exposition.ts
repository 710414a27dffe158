// Counters and histograms as Prometheus reads them: the text format, version 0.0.4. Values live as long as the process.

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(labels: Labels, by?: number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
}

/** A value that is read when somebody asks. */
export interface Gauge {
  name: string;
  help: string;
  /** `counter` for a value that only grows. */
  type?: 'gauge' | 'counter';
  values: readonly { labels?: Labels; value: number }[];
}

export interface Exposition {
  counter(name: string, help: string): Counter;
  histogram(name: string, help: string, bounds: readonly number[]): Histogram;
  /** Everything counted so far, and these. */
  text(gauges: readonly Gauge[]): string;
}

interface Distribution {
  labels: Labels;
  /** Observations up to each bound, and those beyond the last one. */
  counts: number[];
  sum: number;
}

/** Beyond it, further combinations of labels are counted together: a series costs memory here and in Prometheus for ever. */
const MOST_SERIES = 200;
const OTHERS: Labels = { other: 'true' };

export function createExposition(): Exposition {
  const writers: (() => string)[] = [];

  /** The series of these labels, made when it is first needed. */
  function seriesOf<T>(make: (labels: Labels) => T): { of(labels: Labels): T; all(): Iterable<T> } {
    const series = new Map<string, T>();
    const find = (labels: Labels): T => {
      const key = labelText(labels);
      const found = series.get(key);
      if (found) return found;
      if (series.size >= MOST_SERIES && labels !== OTHERS) return find(OTHERS);
      const made = make(labels);
      series.set(key, made);
      return made;
    };
    return { of: find, all: () => series.values() };
  }

  return {
    counter(name, help) {
      const series = seriesOf((labels) => ({ labels, value: 0 }));
      writers.push(() =>
        family(
          name,
          help,
          'counter',
          [...series.all()].map(({ labels, value }) => line(name, labels, value)),
        ),
      );
      return {
        add(labels, by = 1) {
          series.of(labels).value += by;
        },
      };
    },

    histogram(name, help, bounds) {
      const series = seriesOf(
        (labels): Distribution => ({ labels, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }),
      );
      writers.push(() =>
        family(
          name,
          help,
          'histogram',
          [...series.all()].flatMap((each) => histogramLines(name, bounds, each)),
        ),
      );
      return {
        observe(labels, value) {
          const found = series.of(labels);
          const place = bounds.findIndex((bound) => value <= bound);
          const index = place === -1 ? bounds.length : place;
          found.counts[index] = (found.counts[index] ?? 0) + 1;
          found.sum += value;
        },
      };
    },

    text: (gauges) =>
      [
        ...writers.map((write) => write()),
        ...gauges.map(({ name, help, type = 'gauge', values }) =>
          family(
            name,
            help,
            type,
            values.map(({ labels = {}, value }) => line(name, labels, value)),
          ),
        ),
      ].join(''),
  };
}

function histogramLines(name: string, bounds: readonly number[], { labels, counts, sum }: Distribution): string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    const le = index < bounds.length ? String(bounds[index]) : '+Inf';
    return line(`${name}_bucket`, { ...labels, le }, total);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)];
}

function family(name: string, help: string, type: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `# HELP ${name} ${help.replace(/[\\\n]/g, ' ')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function line(name: string, labels: Labels, value: number): string {
  return `${name}${labelText(labels)} ${value}\n`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
