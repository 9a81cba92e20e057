import type { SettleAckMessage, SettleBatchMessage } from '@model-gateway/contracts';
import { type SettleBatchContext, settleBatch } from './settle-batch.ts';
import { type BatchTracer, traceBatch } from './trace-batch.ts';

export interface SettlingDataPlane {
  acknowledge(ack: SettleAckMessage): void;
  fail(error: unknown): void;
  end(): void;
}

export interface SettlementReceiver {
  settle(batch: SettleBatchMessage): void;
  finish(): void;
  leave(): void;
}

/**
 * Serves BillingService.SettleUsage streams. Commits a stream's batches in order and acknowledges each after
 * its commit. A failed batch ends the stream, and the data plane resends what is not acknowledged.
 */
export class SettlementStreams {
  readonly #context: SettleBatchContext;
  readonly #tracer: BatchTracer | undefined;
  /** Open streams with a function that ends each after the current batch. */
  readonly #open = new Map<SettlingDataPlane, () => Promise<void>>();
  #closed = false;

  /** @param tracer undefined: traces are not exported */
  constructor(context: SettleBatchContext, tracer: BatchTracer | undefined) {
    this.#context = context;
    this.#tracer = tracer;
  }

  open(dataPlane: SettlingDataPlane): SettlementReceiver {
    let ended = this.#closed;
    let queue = Promise.resolve();
    const leave = () => {
      ended = true;
      this.#open.delete(dataPlane);
    };
    const end = () => {
      if (ended) return;
      leave();
      dataPlane.end();
    };
    const settle = async (batch: SettleBatchMessage) => {
      if (ended) return;
      const startedAtMs = performance.now();
      try {
        await settleBatch(this.#context, batch);
        if (this.#tracer !== undefined) traceBatch(this.#tracer, batch, startedAtMs);
        dataPlane.acknowledge({ batchId: batch.batchId, refused: 0 });
      } catch (error) {
        if (this.#tracer !== undefined) traceBatch(this.#tracer, batch, startedAtMs, error);
        leave();
        dataPlane.fail(error);
      }
    };
    if (this.#closed) dataPlane.end();
    else {
      this.#open.set(dataPlane, async () => {
        leave();
        await queue;
        dataPlane.end();
      });
    }
    return {
      leave,
      settle: (batch) => {
        queue = queue.then(() => settle(batch));
      },
      finish: () => {
        queue = queue.then(end);
      },
    };
  }

  /** Ends streams after their current batch; data planes send the rest to another control plane. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open.values()].map((end) => end()));
  }
}
