import { build, type Histogram } from 'hdr-histogram-js';
import type { Latency } from './job.ts';

const HIGHEST_US = 120_000_000;

/** Records latencies with three significant digits, from a microsecond to two minutes. */
export class LatencyRecorder {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: HIGHEST_US,
    numberOfSignificantValueDigits: 3,
  });
  #sumUs = 0;

  recordUs(value: number): void {
    const us = Math.min(HIGHEST_US, Math.max(0, Math.round(value)));
    this.#sumUs += us;
    this.#histogram.recordValue(us);
  }

  summary(): Latency {
    const { totalCount: count } = this.#histogram;
    const at = (percentile: number) => this.#histogram.getValueAtPercentile(percentile) / 1_000;
    if (count === 0) return { count, mean: 0, p50: 0, p95: 0, p99: 0, p999: 0, max: 0 };
    return {
      count,
      mean: this.#sumUs / count / 1_000,
      p50: at(50),
      p95: at(95),
      p99: at(99),
      p999: at(99.9),
      max: this.#histogram.maxValue / 1_000,
    };
  }
}
