import type { SettleAckMessage, SettleBatchMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { type SettleBatchContext, settleBatch } from './settle-batch.ts';

export interface SettlementStreamsContext extends SettleBatchContext {
  log: Logger;
}

/** The way back to the data plane whose stream it is. */
export interface SettlingDataPlane {
  acknowledge(ack: SettleAckMessage): void;
  /** Ends the stream with an error. */
  fail(error: unknown): void;
  end(): void;
}

/** What happens on a stream. */
export interface SettlementStream {
  settle(batch: SettleBatchMessage): void;
  /** The data plane reports no more, and waits for what is not acknowledged yet. */
  finish(): void;
  /** Nobody is there any more. */
  leave(): void;
}

/**
 * The BillingService.SettleUsage streams that are open here (proto/gateway/v1/billing.proto). The batches of
 * one are committed one after the other, each acknowledged after its commit. One that cannot be committed
 * ends its stream: the data plane sends again what is not acknowledged.
 */
export class SettlementStreams {
  readonly #context: SettlementStreamsContext;
  /** Each with a function that ends it after the batch at hand. */
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

  /** Ends every stream after the batch at hand: data planes send the rest to another control plane. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open.values()].map((end) => end()));
  }
}
