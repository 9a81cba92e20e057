import type { SettleAckMessage, SettleBatchMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { type SettleBatchContext, settleBatch } from './settle-batch.ts';

export interface SettlementStreamsContext extends SettleBatchContext {
  log: Logger;
}

/** Sends answers to the data plane that opened the stream. */
export interface SettlingDataPlane {
  acknowledge(ack: SettleAckMessage): void;
  /** Ends the stream with an error. */
  fail(error: unknown): void;
  end(): void;
}

/** Receives what happens on a stream. */
export interface SettlementStream {
  settle(batch: SettleBatchMessage): void;
  /** The data plane reports nothing more, and waits for the acknowledgements that it does not have yet. */
  finish(): void;
  /** The data plane is gone. */
  leave(): void;
}

/**
 * The BillingService.SettleUsage streams that are open here (proto/gateway/v1/billing.proto). The batches of
 * a stream are committed one after the other, and each is acknowledged after its commit. A batch that cannot
 * be committed ends its stream, and then the data plane sends again what is not acknowledged.
 */
export class SettlementStreams {
  readonly #context: SettlementStreamsContext;
  /** The open streams, each with a function that ends it after the current batch. */
  readonly #open = new Map<SettlingDataPlane, () => Promise<void>>();
  #closed = false;

  constructor(context: SettlementStreamsContext) {
    this.#context = context;
  }

  open(dataPlane: SettlingDataPlane): SettlementStream {
    let ended = this.#closed;
    let turn = Promise.resolve();
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
      try {
        const { refused } = await settleBatch(this.#context, batch);
        if (refused > 0) this.#context.log.warn({ refused }, 'reports of requests that cannot be stored');
        dataPlane.acknowledge({ batchId: batch.batchId, refused });
      } catch (error) {
        leave();
        dataPlane.fail(error);
      }
    };
    if (this.#closed) dataPlane.end();
    else {
      this.#open.set(dataPlane, async () => {
        leave();
        await turn;
        dataPlane.end();
      });
    }
    return {
      leave,
      settle: (batch) => {
        turn = turn.then(() => settle(batch));
      },
      finish: () => {
        turn = turn.then(end);
      },
    };
  }

  /** Ends every stream after its current batch. Data planes send the rest to another control plane. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open.values()].map((end) => end()));
  }
}
