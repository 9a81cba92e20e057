import { randomUUID } from 'node:crypto';
import type {
  ControlPlaneClient,
  ModelHealthMessage,
  SettleAckMessage,
  SettleBatch,
} from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';

export interface TestAttempt {
  providerId: string;
  outcome: string;
  latencyMs: number;
  timeToFirstTokenMs?: number;
  endedAtMs: number;
}

/**
 * Returns a record of one request with one attempt, which completed just now unless the test says otherwise.
 */
export function outcomeOf(modelId: string, attempt: Partial<TestAttempt> = {}) {
  const standard = { providerId: 'sim', outcome: 'completed', latencyMs: 100, endedAtMs: Date.now() };
  const made = { ...standard, ...attempt };
  return {
    requestId: randomUUID(),
    modelId,
    capability: 'chat',
    owner: { accountId: 'acct_test' },
    keyId: 'key_test',
    billingReason: 'completed',
    endedAtMs: made.endedAtMs,
    attempts: [made],
  };
}

export type TestRecord = NonNullable<SettleBatch['records']>[number];

/** A data plane's side of Settle. */
export class Settlement {
  readonly acks: SettleAckMessage[] = [];
  /** How the stream ended; undefined while it is open. */
  outcome: { error: Error | undefined } | undefined;
  readonly #stream: ReturnType<ControlPlaneClient['stubs']['billing']['settleUsage']>;

  constructor(client: ControlPlaneClient) {
    this.#stream = client.stubs.billing.settleUsage(client.metadata);
    this.#stream.on('data', (ack: SettleAckMessage) => this.acks.push(ack));
    this.#stream.on('error', (error) => {
      this.outcome ??= { error };
    });
    this.#stream.on('end', () => {
      this.outcome ??= { error: undefined };
    });
  }

  /** @returns the batch's id */
  send(records: TestRecord[], batchId: string = randomUUID()): string {
    this.#stream.write({ batchId, records });
    return batchId;
  }

  /** Sends a batch and waits for its acknowledgement. */
  async settle(records: TestRecord[], batchId?: string): Promise<SettleAckMessage> {
    const already = this.acks.length;
    return await this.#acknowledged(this.send(records, batchId), already);
  }

  /** Reports running streams and waits for the acknowledgement. */
  async checkpoint(checkpoints: TestRecord[]): Promise<void> {
    const [already, batchId] = [this.acks.length, randomUUID()];
    this.#stream.write({ batchId, records: [], checkpoints });
    await this.#acknowledged(batchId, already);
  }

  async #acknowledged(id: string, already: number): Promise<SettleAckMessage> {
    const find = () => this.acks.slice(already).find((ack) => ack.batchId === id);
    await until(() => find() !== undefined || this.outcome !== undefined);
    const ack = find();
    if (ack === undefined) throw this.outcome?.error ?? new Error('the stream ended without the ack');
    return ack;
  }

  end(): void {
    this.#stream.end();
  }

  cancel(): void {
    this.#stream.cancel();
  }
}

/** A catalog service's side of WatchCatalog. It keeps the messages about models, the newest last. */
export class HealthWatch {
  readonly events: ModelHealthMessage[] = [];
  readonly #stream: ReturnType<ControlPlaneClient['stubs']['catalog']['watchCatalog']>;

  constructor(client: ControlPlaneClient, withModelHealth = true) {
    this.#stream = client.stubs.catalog.watchCatalog({ withModelHealth }, client.metadata);
    this.#stream.on('data', ({ modelHealth }) => modelHealth && this.events.push(modelHealth));
    this.#stream.on('error', () => undefined);
  }

  figuresOf(modelId: string) {
    return this.events.at(-1)?.models.find(({ id }) => id === modelId);
  }

  providerFigures(providerId: string) {
    return this.events.at(-1)?.providers.find(({ id }) => id === providerId);
  }

  [Symbol.dispose](): void {
    this.#stream.cancel();
  }
}
