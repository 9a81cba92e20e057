/** One sample of the metrics of a service. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Reads `/metrics` from an internal port. */
export async function readMetrics({ internalPort }: { internalPort: number }): Promise<Sample[]> {
  const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
  return samplesOf(await response.text());
}

/**
 * @param labels that a sample must have; it may have others
 * @returns the sum of the matching samples, as `sum(name{…})`; undefined when there are none
 */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const matching = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
}

/** Returns a metric of a service, summed over the samples with these labels; 0 when there are none. */
export async function metricOf(
  service: { internalPort: number } | undefined,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  if (service === undefined) throw new Error('the service was not started');
  return sumOf(await readMetrics(service), name, labels) ?? 0;
}

/** Reads the text format of Prometheus, version 0.0.4. */
function samplesOf(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g);
      return {
        name,
        labels: Object.fromEntries([...pairs].map(([, label, quoted]) => [label, quoted])),
        value: Number(value),
      };
    });
}
