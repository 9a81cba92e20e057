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

/** Longer than the control plane waits until other data planes give back what they do not use. */
const ACQUIRE_QUIET_MS = 3_000;
const RETURN_QUIET_MS = 1_000;
/**
 * How long a control plane that is there, but slow, is waited for. Repeating a call while it works on the
 * first one would help nobody.
 */
const MOST_MS = 10_000;

/** The lease on which the allowances depend: that of the key watch. */
export interface AllowanceLease {
  /** Whether the lease is recent enough for the granted money to be still this process's. */
  isAlive(): boolean;
  /** Whether the control plane grants money on this lease at the moment. */
  isLive(): boolean;
  /** @returns whether it was renewed; false when no control plane is heard of */
  renewed(): Promise<boolean>;
  /** How long to wait for the control plane. */
  patience(quietMs: number, mostMs: number): Patience;
}

export interface AllowanceCallsOptions {
  client: ControlPlaneClient;
  /** The instance id of the key watch. */
  instanceId: string;
  lease: AllowanceLease;
  metrics: AllowanceMetrics;
}

/** Says that no control plane has answered in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor() {
    super('no answer from the control plane');
  }
}

/** The calls about money (proto/gateway/v1/billing.proto). They carry totals, so they may be repeated. */
export class AllowanceCalls {
  readonly #options: AllowanceCallsOptions;

  constructor(options: AllowanceCallsOptions) {
    this.#options = options;
  }

  /**
   * @param needs what the waiting requests need, in nano-USD
   * @throws NoAnswer; the gRPC ServiceError
   */
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
