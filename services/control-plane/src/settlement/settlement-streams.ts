import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { SettleAckMessage, SettleBatchMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { toServiceError } from '../errors/map-error.ts';
import { type SettleBatchContext, settleBatch } from './settle-batch.ts';

export type SettleCall = ServerDuplexStream<SettleBatchMessage, Partial<SettleAckMessage>>;

export interface SettlementStreamsContext extends SettleBatchContext {
  log: Logger;
}

/**
 * The BillingService.SettleUsage streams that are open here (proto/gateway/v1/billing.proto). The batches of one
 * are committed one after the other, each acknowledged after its commit. One that cannot be committed ends its
 * stream: the data plane sends again what is not acknowledged.
 */
export class SettlementStreams {
  readonly #context: SettlementStreamsContext;
  /** Each with a function that ends it after the batch at hand. */
  readonly #open = new Map<SettleCall, () => Promise<void>>();
  #closed = false;

  constructor(context: SettlementStreamsContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#open.size;
  }

  serve(call: SettleCall): void {
    let ended = this.#closed;
    let turn = Promise.resolve();
    const leave = () => {
      ended = true;
      this.#open.delete(call);
    };
    const settle = async (batch: SettleBatchMessage) => {
      if (ended) return;
      try {
        const { refused } = await settleBatch(this.#context, batch);
        if (refused > 0) this.#context.log.warn({ refused }, 'reports of requests that cannot be stored');
        if (!call.cancelled) call.write({ batchId: batch.batchId, refused });
      } catch (error) {
        leave();
        // Not destroy(): a destroyed call is left without a status, and the data plane would wait for one.
        call.emit('error', toServiceError(this.#context.log, error));
      }
    };
    const end = async () => {
      leave();
      await turn;
      call.end();
    };
    if (this.#closed) return void call.end();
    this.#open.set(call, end);
    call.on('data', (batch: SettleBatchMessage) => {
      turn = turn.then(() => settle(batch));
    });
    // Half-closed: the data plane reports no more, and waits for what is not acknowledged yet.
    call.on('end', () => {
      turn = turn.then(() => {
        if (ended) return;
        leave();
        call.end();
      });
    });
    call.on('cancelled', leave);
    call.on('error', leave);
  }

  /** Ends every stream after the batch at hand: data planes send the rest to another control plane. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#open.values()].map((end) => end()));
  }
}
