import { PbfWriter } from 'pbf';
import type { Attributes } from '../span.ts';
import { type Scope, writeAttributes, writeResource, writeScope, writeTime } from './encode-common.ts';

/** Field numbers are those of opentelemetry/proto/metrics/v1/metrics.proto. */

const CUMULATIVE = 2;

export interface NumberPoint {
  attributes: Attributes;
  value: number;
}

export interface HistogramPoint {
  attributes: Attributes;
  count: number;
  sum: number;
  /** Upper bounds, ascending. */
  bounds: readonly number[];
  /** One more than bounds; each counts only its own bucket. */
  bucketCounts: readonly number[];
}

interface Described {
  name: string;
  description: string;
  /** As UCUM writes it; left out: unknown. */
  unit?: string;
}

export type Metric = Described &
  (
    | { type: 'counter' | 'gauge'; points: readonly NumberPoint[] }
    | { type: 'histogram'; points: readonly HistogramPoint[] }
  );

export interface MetricSource {
  resource: Attributes;
  scope: Scope;
  schemaUrl: string;
  /** Unix milliseconds: since when counters count, and when they were read. */
  startedAtMs: number;
  atMs: number;
}

/** Encodes an ExportMetricsServiceRequest. */
export function encodeMetrics(source: MetricSource, metrics: readonly Metric[]): Uint8Array {
  const out = new PbfWriter();
  out.writeMessage(1, writeResourceMetrics, { source, metrics });
  return out.finish();
}

interface MetricsOfSource {
  source: MetricSource;
  metrics: readonly Metric[];
}

function writeResourceMetrics(all: MetricsOfSource, out: PbfWriter): void {
  out.writeMessage(1, writeResource, all.source.resource);
  out.writeMessage(2, writeScopeMetrics, all);
}

function writeScopeMetrics({ metrics, source }: MetricsOfSource, out: PbfWriter): void {
  out.writeMessage(1, writeScope, source.scope);
  for (const metric of metrics) out.writeMessage(2, writeMetric, { metric, source });
  out.writeStringField(3, source.schemaUrl);
}

interface MetricOfSource {
  metric: Metric;
  source: MetricSource;
}

function writeMetric(all: MetricOfSource, out: PbfWriter): void {
  const { metric } = all;
  out.writeStringField(1, metric.name);
  out.writeStringField(2, metric.description);
  if (metric.unit !== undefined) out.writeStringField(3, metric.unit);
  if (metric.type === 'gauge') out.writeMessage(5, writeNumbers, all);
  else if (metric.type === 'counter') out.writeMessage(7, writeSum, all);
  else out.writeMessage(9, writeHistogram, all);
}

function writeNumbers({ metric, source }: MetricOfSource, out: PbfWriter): void {
  if (metric.type === 'histogram') return;
  for (const { attributes, value } of metric.points) {
    out.writeMessage(
      1,
      (_, point) => {
        writeTime(2, source.startedAtMs, point);
        writeTime(3, source.atMs, point);
        point.writeDoubleField(4, value);
        writeAttributes(7, attributes, point);
      },
      undefined,
    );
  }
}

function writeSum(all: MetricOfSource, out: PbfWriter): void {
  writeNumbers(all, out);
  out.writeVarintField(2, CUMULATIVE);
  out.writeBooleanField(3, true);
}

function writeHistogram({ metric, source }: MetricOfSource, out: PbfWriter): void {
  if (metric.type !== 'histogram') return;
  for (const { attributes, bounds, bucketCounts, count, sum } of metric.points) {
    out.writeMessage(
      1,
      (_, point) => {
        writeTime(2, source.startedAtMs, point);
        writeTime(3, source.atMs, point);
        point.writeFixed64Field(4, count);
        point.writeDoubleField(5, sum);
        point.writePackedFixed64(6, [...bucketCounts]);
        point.writePackedDouble(7, [...bounds]);
        writeAttributes(9, attributes, point);
      },
      undefined,
    );
  }
  out.writeVarintField(2, CUMULATIVE);
}
