import type { Registry } from '@model-gateway/service-kit';
import type { HistogramPoint, Metric } from './otlp/encode-metrics.ts';
import type { Attributes } from './span.ts';

type Value = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number]['values'][number] & {
  metricName?: string;
};

/** Reads the metrics of `/metrics`, with the same names and values. No metric of ours is a summary. */
export async function readRegistry(registry: Registry): Promise<Metric[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.flatMap(({ help: description, name, type, values }): Metric[] => {
    if (values.length === 0) return [];
    if (type === 'histogram') return [{ name, description, type, points: histogramPoints(name, values) }];
    if (type !== 'counter' && type !== 'gauge') return [];
    // A summary of nothing is NaN, which no backend can store.
    const points = values
      .filter(({ value }) => Number.isFinite(value))
      .map(({ labels, value }) => ({ attributes: attributesOf(labels), value }));
    return points.length === 0 ? [] : [{ name, description, type, points }];
  });
}

/** Labels are names of our own, so they get our prefix. */
function attributesOf(labels: Value['labels']): Attributes {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`gateway.${name}`, String(value)]),
  );
}

interface GrowingPoint extends HistogramPoint {
  bounds: number[];
  bucketCounts: number[];
}

/** Joins the cumulative buckets, the sum and the count of each combination of labels. */
function histogramPoints(name: string, values: readonly Value[]): HistogramPoint[] {
  const points = new Map<string, GrowingPoint>();
  for (const { labels: all, metricName, value } of values) {
    const { le, ...labels } = all;
    const key = JSON.stringify(labels);
    const point = points.get(key) ?? emptyPoint(attributesOf(labels));
    points.set(key, point);
    if (metricName === `${name}_sum`) point.sum = value;
    else if (metricName === `${name}_count`) point.count = value;
    else addBucket(point, le, value);
  }
  return [...points.values()];
}

function emptyPoint(attributes: Attributes): GrowingPoint {
  return { attributes, count: 0, sum: 0, bounds: [], bucketCounts: [] };
}

function addBucket(point: GrowingPoint, le: string | number | undefined, cumulative: number): void {
  const before = point.bucketCounts.reduce((sum, count) => sum + count, 0);
  point.bucketCounts.push(cumulative - before);
  if (le !== '+Inf') point.bounds.push(Number(le));
}
