import { inBackground, type Logger, type Registry, type TallyCounter } from '@model-gateway/service-kit';
import type { GenAiMetrics } from './gen-ai-metrics.ts';
import { encodeMetrics, type MetricSource } from './otlp/encode-metrics.ts';
import type { OtlpSender } from './otlp/otlp-sender.ts';
import { readRegistry } from './read-registry.ts';

export interface MetricExporterOptions {
  sender: Pick<OtlpSender, 'send'>;
  registry: Registry;
  genAi: Pick<GenAiMetrics, 'read'>;
  source: Pick<MetricSource, 'resource' | 'scope' | 'schemaUrl'>;
  /** OTEL_METRIC_EXPORT_INTERVAL, in milliseconds. */
  intervalMs: number;
  dropped: TallyCounter<readonly ['signal', 'reason']>;
  log: Logger;
}

/** Exports the metrics of `/metrics`, and those of the GenAI conventions, in regular intervals. */
export class MetricExporter {
  readonly #options: MetricExporterOptions;
  readonly #stop = new AbortController();
  readonly #startedAtMs = Date.now();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #hasWarned = false;

  constructor(options: MetricExporterOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => inBackground(this.#export()), this.#options.intervalMs).unref();
  }

  /** Exports the last values. @param boundMs upper bound of the wait */
  async close(boundMs: number): Promise<void> {
    clearInterval(this.#timer);
    const cut = setTimeout(() => this.#stop.abort(), boundMs);
    await this.#sending;
    await this.#export();
    clearTimeout(cut);
    this.#stop.abort();
  }

  /** Skips its turn while an earlier export still waits for the collector. */
  #export(): Promise<void> {
    this.#sending ??= this.#exportNow()
      .finally(() => {
        this.#sending = undefined;
      })
      .catch((error: unknown) => this.#options.log.error({ error }, 'an export of metrics failed'));
    return this.#sending;
  }

  async #exportNow(): Promise<void> {
    const { dropped, genAi, log, registry, sender, source } = this.#options;
    const metrics = [...(await readRegistry(registry)), ...genAi.read()];
    const times = { startedAtMs: this.#startedAtMs, atMs: Date.now() };
    const sent = await sender.send(encodeMetrics({ ...source, ...times }, metrics), this.#stop.signal);
    if (!sent.isSent) dropped.labels('metrics', 'failed').inc();
    else if (sent.refused > 0) dropped.labels('metrics', 'refused').inc(sent.refused);
    if (!sent.isSent && !this.#hasWarned) log.warn({ reason: sent.reason }, 'metrics could not be exported');
    this.#hasWarned = !sent.isSent;
  }
}
