import type { Readable } from 'node:stream';
import { type IncomingForm, type Usage, usageOf } from '@model-gateway/dialects';
import { inBackground, StopSwitch } from '@model-gateway/service-kit';
import { MAX_FORM_BYTES } from '@model-gateway/shared';
import { MIN_AUDIO_BYTES_PER_SECOND, maxUnitsOfTranscription } from '../../billing/max-units.ts';
import { ChunkList } from '../../http/chunk-list.ts';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../../memory/memory-budget.ts';
import type { Measurement } from './measure/measure-recording.ts';
import type { RecordingQueue } from './recording-queue.ts';

/** A larger upload for free models is not measured, to leave the memory to others. */
const MAX_FREE_BYTES = 4 * 1024 * 1024;

/** Rounds up to whole milliseconds, ignoring floating-point noise. */
export function wholeMs(seconds: number): number {
  return Math.ceil(Math.round(seconds * 1_000_000) / 1_000);
}

export interface RecordingContext {
  bodyBudget: MemoryBudget;
  recordings: Pick<RecordingQueue, 'isBusy' | 'measure'>;
}

/** The file of an upload. It is buffered while it is forwarded, and measured once it has arrived. */
export class Recording {
  /** Size of the upload, before it has arrived. */
  readonly announcedBytes: number;
  readonly #context: RecordingContext;
  readonly #exchange: AuthenticatedExchange;
  readonly #content: Readable | Buffer;
  /** Aborts with the exchange: nobody needs its duration then, and its memory is released. */
  readonly #unneeded = new StopSwitch();
  #usage: Promise<Usage> | undefined;
  #isPaid = true;
  #isBuffered = true;
  #hasArrived = false;

  constructor(context: RecordingContext, exchange: AuthenticatedExchange, { file }: IncomingForm) {
    this.#context = context;
    this.#exchange = exchange;
    this.#content = file.content;
    exchange.ends.push(() => this.#unneeded.abort(new Error('the exchange has ended')));
    this.announcedBytes = Buffer.isBuffer(file.content)
      ? file.content.length
      : Number(exchange.req.headers['content-length'] ?? MAX_FORM_BYTES);
  }

  /**
   * Claims memory for a file that is still arriving. Call it before the content is read.
   * @param isPaid waits for memory; a recording that costs nothing is only measured if it needs little, and
   *   no other one waits
   * @throws GatewayError 503 without memory
   */
  async buffer(isPaid: boolean): Promise<void> {
    this.#isPaid = isPaid;
    if (Buffer.isBuffer(this.#content)) return;
    const claim = claimMemory(this.#exchange, this.#context.bodyBudget);
    this.#isBuffered =
      (isPaid || this.announcedBytes <= MAX_FREE_BYTES) && claim.tryTake(this.announcedBytes);
    if (!this.#isBuffered && isPaid) {
      await claim.take(this.announcedBytes, this.#exchange.stop.signal);
      this.#isBuffered = true;
    }
    this.#usage = this.#usageOfStream(this.#content).finally(() => claim.giveBack());
    inBackground(this.#usage);
  }

  /** Returns the usage of a recording whose provider reports no duration. */
  async usage(): Promise<Usage> {
    if (Buffer.isBuffer(this.#content)) this.#usage ??= this.#measure([this.#content]);
    // A provider that has responded may never read the rest.
    else if (!this.#hasArrived) return usageOfRecording(this.announcedBytes, undefined);
    return this.#usage ?? usageOfRecording(this.announcedBytes, undefined);
  }

  /** Listens to the content without delaying it. */
  #usageOfStream(content: Readable): Promise<Usage> {
    const { promise, resolve } = Promise.withResolvers<Usage>();
    const chunks = new ChunkList();
    let bytes = 0;
    content.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (this.#isBuffered) chunks.add(chunk);
    });
    content.once('end', () => {
      this.#hasArrived = true;
      resolve(this.#isBuffered ? this.#measure(chunks.all()) : usageOfRecording(bytes, undefined));
    });
    content.once('close', () => resolve(usageOfRecording(bytes, undefined)));
    // The listener made it flow. The sender resumes it.
    content.pause();
    return promise;
  }

  async #measure(chunks: readonly Buffer[]): Promise<Usage> {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    // Nobody may keep those waiting that pay.
    if (!this.#isPaid && this.#context.recordings.isBusy) return usageOfRecording(bytes, undefined);
    const { record } = this.#exchange;
    const { signal } = this.#unneeded;
    return usageOfRecording(bytes, await this.#context.recordings.measure(record.key, chunks, signal));
  }
}

/**
 * Returns the usage of a file. What cannot be measured costs all that was reserved, and bytes that do not
 * play cost as much as audio of the lowest bit rate: hiding audio is never cheaper than showing it.
 */
export function usageOfRecording(bytes: number, measured: Measurement | undefined): Usage {
  const { audioMs: maxMs } = maxUnitsOfTranscription(bytes);
  const { seconds, unplayedBytes } = measured ?? { seconds: 0, unplayedBytes: bytes };
  const ms = wholeMs(seconds + unplayedBytes / MIN_AUDIO_BYTES_PER_SECOND);
  if (seconds > 0 && ms <= maxMs)
    return usageOf(unplayedBytes === 0 ? 'gateway' : 'estimated', { audioMs: ms });
  return usageOf('estimated', { audioMs: maxMs });
}
