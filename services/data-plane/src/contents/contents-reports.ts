import { setTimeout as wait } from 'node:timers/promises';
import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { Counter, inBackground, type Logger, type Registry } from '@model-gateway/service-kit';
import { addGauge } from '../observability/add-gauge.ts';
import type { CopiedBody, CopyMemory } from './body-copy.ts';

/** Memory of all copies, running and waiting: a share of the process's, within bounds. */
const PART_OF_MEMORY = 1 / 32;
const MAX_BYTES = 64 * 1024 * 1024;
/** Larger messages would hold up the thread. */
const BATCH_BYTES = 1024 * 1024;
const BATCH_CONTENTS = 500;
/** Contents are collected this long, so that the control plane stores several at once. */
const COLLECT_MS = 100;
const REPORT_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** Time limit for sending the last contents when the process stops. */
const CLOSE_MS = 2_000;

export interface ReportedContents {
  contentsKeyId: string;
  requestId: string;
  path: string;
  status: number;
  request: CopiedBody;
  response: CopiedBody;
}

interface WaitingContents {
  contents: ReportedContents;
  heldBytes: number;
}

export interface ContentsReportsOptions {
  client: Pick<ControlPlaneClient, 'call'>;
  /** Upper bound of this process's memory. */
  memoryBytes: number;
  registry: Registry;
  log: Logger;
}

/**
 * Sends copies of bodies to the control plane, in the background and in batches. While that is away, copies
 * wait until their memory is used up; further ones are dropped and counted.
 */
export class ContentsReports implements CopyMemory {
  readonly #options: ContentsReportsOptions;
  readonly #maxBytes: number;
  readonly #outcomes: Counter<'outcome'>;
  readonly #closed = new AbortController();
  #waiting: WaitingContents[] = [];
  #takenBytes = 0;
  #isCut = false;
  #sending: Promise<void> | undefined;

  constructor(options: ContentsReportsOptions) {
    this.#options = options;
    this.#maxBytes = Math.min(MAX_BYTES, options.memoryBytes * PART_OF_MEMORY);
    this.#outcomes = new Counter({
      name: 'gateway_contents_total',
      help:
        'Contents of requests by outcome: stored; off (turned off meanwhile); full (the account has as many as ' +
        'it may have); lost (no memory, or not sent).',
      labelNames: ['outcome'],
      registers: [options.registry],
    });
    addGauge(
      options.registry,
      'gateway_contents_bytes',
      'Memory of copied contents that are not stored yet.',
      () => this.#takenBytes,
    );
  }

  take(bytes: number): boolean {
    if (this.#takenBytes + bytes > this.#maxBytes) return false;
    this.#takenBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#takenBytes -= bytes;
  }

  /** Counts contents for which there was no memory. */
  countLost(): void {
    this.#outcomes.inc({ outcome: 'lost' });
  }

  /** @param heldBytes memory of its bodies, which is given back when they are sent */
  add(contents: ReportedContents, heldBytes: number): void {
    this.#waiting.push({ contents, heldBytes });
    if (this.#sending !== undefined) return;
    this.#sending = this.#sendAll();
    inBackground(this.#sending);
  }

  /** Sends the rest. What the control plane does not take now is lost. */
  async close(): Promise<void> {
    this.#closed.abort();
    const cut = setTimeout(() => {
      this.#isCut = true;
    }, CLOSE_MS);
    await this.#sending;
    clearTimeout(cut);
    for (const { heldBytes } of this.#waiting.splice(0)) {
      this.giveBack(heldBytes);
      this.countLost();
    }
  }

  async #sendAll(): Promise<void> {
    await this.#pause(COLLECT_MS);
    while (this.#waiting.length > 0 && !this.#isCut && (await this.#sendBatch()));
    this.#sending = undefined;
  }

  /** Waits, unless the process stops. */
  async #pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#closed.signal }).catch(() => undefined);
  }

  /** @returns false if the process stops and the control plane is away */
  async #sendBatch(): Promise<boolean> {
    const { client, log } = this.#options;
    const batch = this.#nextBatch();
    try {
      const timeoutMs = this.#closed.signal.aborted ? CLOSE_MS : REPORT_TIMEOUT_MS;
      const request = { contents: batch.map(({ contents }) => contents) };
      const { dropped, full } = await client.call(timeoutMs, 'contents', 'reportContents', request);
      this.#outcomes.inc({ outcome: 'stored' }, batch.length - dropped - full);
      this.#outcomes.inc({ outcome: 'off' }, dropped);
      this.#outcomes.inc({ outcome: 'full' }, full);
    } catch (error) {
      if (!isRefused(error)) {
        log.debug({ error }, 'contents could not be sent');
        if (this.#closed.signal.aborted) return false;
        await this.#pause(RETRY_MS);
        return true;
      }
      log.warn({ error }, 'the control plane rejects contents of requests: they are not stored');
      this.#outcomes.inc({ outcome: 'lost' }, batch.length);
    }
    this.#waiting.splice(0, batch.length);
    for (const { heldBytes } of batch) this.giveBack(heldBytes);
    return true;
  }

  #nextBatch(): WaitingContents[] {
    let bytes = 0;
    const end = this.#waiting.findIndex(({ heldBytes }, index) => {
      bytes += heldBytes;
      return index > 0 && (bytes > BATCH_BYTES || index >= BATCH_CONTENTS);
    });
    return end === -1 ? [...this.#waiting] : this.#waiting.slice(0, end);
  }
}

/** Returns true if sending the same again would not help. */
function isRefused(error: unknown): boolean {
  const status = grpcStatus(error);
  return status === GrpcStatus.INVALID_ARGUMENT || status === GrpcStatus.UNIMPLEMENTED;
}
