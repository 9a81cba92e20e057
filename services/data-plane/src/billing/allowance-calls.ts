import type {
  AcquireAllowanceResponseMessage,
  ControlPlaneClient,
  ReturnAllowanceResponseMessage,
} from '@model-gateway/contracts';
import { withPatience } from '@model-gateway/service-kit';
import type { AllowanceMetrics } from './allowance-metrics.ts';
import type { PayerAllowance } from './payer-allowance.ts';

/** Longer than the control plane waits for other data planes to give back what they do not use. */
const ACQUIRE_PATIENCE_MS = 2_500;
/** Only frees what a call holds that nobody waits for any more. */
const ACQUIRE_DEADLINE_MS = 10_000;
const RETURN_DEADLINE_MS = 1_000;

export interface AllowanceCallsOptions {
  client: ControlPlaneClient;
  /** Of the key watch, whose lease the allowances live on. */
  instanceId: string;
  metrics: AllowanceMetrics;
}

/** No control plane has answered in time. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';

  constructor() {
    super('no answer from the control plane');
  }
}

/** The calls about money to the control plane (proto/gateway/v1/billing.proto). They carry totals and may be repeated. */
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
    return await metrics.count('acquire', () => {
      const { stubs: asked } = this.#options.client;
      const answer = this.#options.client.call<AcquireAllowanceResponseMessage>(
        ACQUIRE_DEADLINE_MS,
        (stubs, metadata, options, callback) =>
          stubs.billing.acquireAllowance(request, metadata, options, callback),
      );
      return withPatience(answer, ACQUIRE_PATIENCE_MS, () => {
        this.#options.client.moveOn(asked);
        return new NoAnswer();
      });
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
    return await this.#options.metrics.count('return', () =>
      this.#options.client.call(RETURN_DEADLINE_MS, (stubs, metadata, options, callback) =>
        stubs.billing.returnAllowance(request, metadata, options, callback),
      ),
    );
  }
}
