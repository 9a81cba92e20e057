import { randomUUID } from 'node:crypto';
import { ControlPlaneClient, type SettleAckMessage } from '@model-gateway/contracts';
import type { SettledRecord } from './settled-records.ts';

/** The data plane's side of BillingService.SettleUsage, with one batch in flight. */
export class SettlementSender implements Disposable {
  readonly #client: ControlPlaneClient;
  readonly #stream: ReturnType<ControlPlaneClient['stubs']['billing']['settleUsage']>;
  #waiting: { resolve: (ack: SettleAckMessage) => void; reject: (error: Error) => void } | undefined;

  constructor(controlPlane: string, token: string) {
    this.#client = new ControlPlaneClient({ addresses: [controlPlane], token, tls: {} });
    this.#stream = this.#client.stubs.billing.settleUsage(this.#client.metadata);
    this.#stream.on('data', (ack: SettleAckMessage) => this.#waiting?.resolve(ack));
    this.#stream.on('error', (error) => this.#waiting?.reject(error));
    this.#stream.on('end', () => this.#waiting?.reject(new Error('the control plane has ended the stream')));
  }

  /** Resolves when a batch is committed. @throws if that fails, or if a record cannot be stored */
  async settle(records: SettledRecord[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<SettleAckMessage>();
    this.#waiting = { resolve, reject };
    this.#stream.write({ batchId: randomUUID(), records });
    const { refused } = await promise;
    if (refused > 0) throw new Error(`${refused} of ${records.length} records cannot be stored`);
  }

  [Symbol.dispose](): void {
    this.#stream.cancel();
    this.#client.close();
  }
}
