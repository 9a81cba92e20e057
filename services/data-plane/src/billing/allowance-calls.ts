import {
  type AcquireAllowanceResponseMessage,
  type ControlPlaneClient,
  GrpcStatus,
  grpcStatus,
  type ReturnAllowanceResponseMessage,
} from '@model-gateway/contracts';
import type { Patience } from '@model-gateway/service-kit';
import type { AllowanceMetrics } from './allowance-metrics.ts';
import type { PayerAllowance } from './payer-allowance.ts';

/** Longer than the control plane waits for other data planes to give back what they do not use. */
const ACQUIRE_QUIET_MS = 3_000;
const RETURN_QUIET_MS = 1_000;
/**
 * Of a control plane that is there, but behind: a call that is made again while it works on the first helps
 * nobody.
 */
const MOST_MS = 10_000;

/** The lease that the allowances live on: that of the key watch. */
export interface AllowanceLease {
  /** Whether it is young enough for what was granted to be ours still. */
  isAlive(): boolean;
  /** Whether the control plane grants anything on it at the moment. */
  isLive(): boolean;
  /** @returns whether it was renewed while a control plane was heard of */
  renewed(): Promise<boolean>;
  /** How long the control plane is waited for. */
  patience(quietMs: number, mostMs: number): Patience;
}

export interface AllowanceCallsOptions {
  client: ControlPlaneClient;
  /** Of the key watch. */
  instanceId: string;
  lease: AllowanceLease;
  metrics: AllowanceMetrics;
}

/** No control plane has answered in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor() {
    super('no answer from the control plane');
  }
}

/**
 * The calls about money to the control plane (proto/gateway/v1/billing.proto). They carry totals and may be
 * repeated.
 */
export class AllowanceCalls {
  readonly #options: AllowanceCallsOptions;

  constructor(options: AllowanceCallsOptions) {
    this.#options = options;
  }

  /** @param needs of the requests that wait, in nano-USD. @throws NoAnswer; the gRPC ServiceError */
  async acquire(
    { id: allowanceId, payer, spareWanted: spare, returned }: PayerAllowance,
    needs: readonly bigint[],
  ): Promise<AcquireAllowanceResponseMessage> {
    const { instanceId, metrics } = this.#options;
    const request = {
      allowanceId,
      instanceId,
      payer,
      needs: needs.map(String),
      spare: String(spare),
      returned: String(returned),
    };
    const patience = this.#options.lease.patience(ACQUIRE_QUIET_MS, MOST_MS);
    return await metrics.count('acquire', async () => {
      try {
        return await this.#options.client.call(patience, 'billing', 'acquireAllowance', request);
      } catch (error) {
        throw grpcStatus(error) === GrpcStatus.DEADLINE_EXCEEDED ? new NoAnswer() : error;
      }
    });
  }

  /** @throws the gRPC ServiceError */
  async giveBack(request: {
    allowanceId: string;
    returned: string;
    recall: number;
    close: boolean;
    granted: string;
  }): Promise<ReturnAllowanceResponseMessage> {
    const patience = this.#options.lease.patience(RETURN_QUIET_MS, MOST_MS);
    return await this.#options.metrics.count('return', () =>
      this.#options.client.call(patience, 'billing', 'returnAllowance', request),
    );
  }
}
