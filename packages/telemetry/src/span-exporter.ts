import { inBackground, type Logger, type TallyCounter } from '@model-gateway/service-kit';
import { encodeSpan, encodeTraces, type TraceSource } from './otlp/encode-traces.ts';
import type { OtlpSender } from './otlp/otlp-sender.ts';
import type { Span } from './span.ts';

export interface SpanExporterBounds {
  /** OTEL_BSP_MAX_QUEUE_SIZE. */
  maxQueue: number;
  /** OTEL_BSP_MAX_EXPORT_BATCH_SIZE. */
  maxBatch: number;
  /** OTEL_BSP_SCHEDULE_DELAY: how long a span waits for others, in milliseconds. */
  delayMs: number;
}

/** Reasons for which items are dropped: the queue is full, no collector took them, or it refused them. */
export type DroppedBecause = 'queue_full' | 'failed' | 'refused';

export interface SpanExporterOptions {
  sender: Pick<OtlpSender, 'send'>;
  source: TraceSource;
  bounds: SpanExporterBounds;
  dropped: TallyCounter<readonly ['signal', 'reason']>;
  log: Logger;
}

/** Contents of requests are long, so a number of spans alone is no bound. */
const MAX_QUEUE_BYTES = 16 * 1024 * 1024;
/** Collectors refuse messages of more than 4 MiB or so. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;
const WARN_EVERY_MS = 60_000;

/** Exports ended spans in batches, one at a time. What does not fit into the queue is dropped and counted. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #stop = new AbortController();
  /** Encoded spans, oldest first. */
  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  /** True if further spans would be dropped, so that building them can be spared. */
  get isFull(): boolean {
    return this.#queue.length >= this.#options.bounds.maxQueue || this.#queuedBytes >= MAX_QUEUE_BYTES;
  }

  /** Counts spans that were not built because the queue is full. */
  countDropped(spans: number): void {
    this.#options.dropped.labels('traces', 'queue_full').inc(spans);
  }

  add(span: Span): void {
    if (this.isFull) {
      this.countDropped(1);
      return;
    }
    const bytes = encodeSpan(span);
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    const { delayMs, maxBatch } = this.#options.bounds;
    if (this.#queue.length >= maxBatch || this.#queuedBytes >= MAX_BATCH_BYTES) this.#sendSoon(0);
    else this.#sendSoon(delayMs);
  }

  /** Exports what is queued, and then no more. @param boundMs upper bound of the wait */
  async close(boundMs: number): Promise<void> {
    const cut = setTimeout(() => this.#stop.abort(), boundMs);
    await this.#sendAll();
    clearTimeout(cut);
    this.#stop.abort();
    clearTimeout(this.#timer);
  }

  #sendSoon(delayMs: number): void {
    if (this.#sending !== undefined || this.#stop.signal.aborted) return;
    if (this.#timer !== undefined && delayMs > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => inBackground(this.#sendAll()), delayMs).unref();
  }

  /** Also waits for the batch that is being sent. */
  #sendAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#sendBatches()
      .finally(() => {
        this.#sending = undefined;
      })
      .catch((error: unknown) => this.#options.log.error({ error }, 'an export of spans failed'));
    return this.#sending;
  }

  async #sendBatches(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#take();
      const sent = await this.#options.sender.send(
        encodeTraces(this.#options.source, batch),
        this.#stop.signal,
      );
      if (!sent.isSent) this.#count('failed', batch.length, sent.reason);
      else if (sent.refused > 0) this.#count('refused', sent.refused, sent.reason);
    }
  }

  #take(): Uint8Array[] {
    let bytes = 0;
    let size = 0;
    for (const span of this.#queue) {
      if (size > 0 && (size === this.#options.bounds.maxBatch || bytes + span.length > MAX_BATCH_BYTES))
        break;
      bytes += span.length;
      size += 1;
    }
    this.#queuedBytes -= bytes;
    return this.#queue.splice(0, size);
  }

  #count(reason: DroppedBecause, spans: number, why: string): void {
    const { dropped, log } = this.#options;
    dropped.labels('traces', reason).inc(spans);
    const nowMs = performance.now();
    if (nowMs - this.#warnedAtMs < WARN_EVERY_MS) return;
    this.#warnedAtMs = nowMs;
    log.warn({ spans, reason: why }, 'spans could not be exported');
  }
}
