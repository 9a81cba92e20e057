import {
  type AcquireAllowanceResponseMessage,
  type AnswerOf,
  type AskOf,
  type ControlPlaneClient,
  GrpcStatus,
  grpcStatus,
  type ReturnAllowanceResponseMessage,
} from '@model-gateway/contracts';
import type { Patience } from '@model-gateway/service-kit';
import type { PayerLevel } from '@model-gateway/shared';
import type { AllowanceMetrics } from './allowance-metrics.ts';
import { CollectedCalls } from './collected-calls.ts';
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
  /** Returns true if the lease is recent enough for the granted money to be still this process's. */
  isAlive(): boolean;
  /** Returns true if the control plane grants money on this lease at the moment. */
  isLive(): boolean;
  /** @returns true if it was renewed; false when no control plane is heard of */
  renewed(): Promise<boolean>;
  /** How long to wait for the control plane. */
  patience(quietMs: number, mostMs: number): Patience;
}

export interface AllowanceCallsOptions {
  client: ControlPlaneClient;
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

interface Asked {
  allowanceId: string;
  instanceId: string;
  payer: PayerLevel[];
  needs: string[];
  spare: string;
  returned: string;
}

interface GivenBack {
  allowanceId: string;
  returned: string;
  recall: number;
  close: boolean;
  granted: string;
}

/** The calls about money (proto/gateway/v1/billing.proto). They carry totals, so they may be repeated. */
export class AllowanceCalls {
  readonly #options: AllowanceCallsOptions;
  readonly #acquires = new CollectedCalls<Asked, AcquireAllowanceResponseMessage>({
    together: async (asked) => {
      const { answers } = await this.#acquire('acquireAllowances', { allowances: [...asked] });
      return asked.map(({ allowanceId }) => answers[allowanceId]);
    },
    alone: (asked) => this.#acquire('acquireAllowance', asked),
  });
  readonly #returns = new CollectedCalls<GivenBack, ReturnAllowanceResponseMessage>({
    together: async (given) => {
      const { answers } = await this.#return('returnAllowances', { allowances: [...given] });
      return given.map(({ allowanceId }) => answers[allowanceId]);
    },
    alone: (given) => this.#return('returnAllowance', given),
  });

  constructor(options: AllowanceCallsOptions) {
    this.#options = options;
  }

  /**
   * Asks for money, in one call with others who ask at the same time. A payer whose pools are nearly empty,
   * or who gives back something, is asked for alone, because the call for many is only for those who have
   * plenty.
   * @param needs what the waiting requests need, in nano-USD; without any, the call may wait for others
   * @throws NoAnswer; the gRPC ServiceError
   */
  async acquire(
    allowance: PayerAllowance,
    needs: readonly bigint[],
  ): Promise<AcquireAllowanceResponseMessage> {
    const { id: allowanceId, spareWanted: spare, returned } = allowance;
    const asked = {
      allowanceId,
      instanceId: this.#options.instanceId,
      payer: [...allowance.payer],
      needs: needs.map(String),
      spare: String(spare),
      returned: String(returned),
    };
    const isExact = allowance.isExact && allowance.granted > 0n;
    if (isExact || allowance.owesReturn) return await this.#acquire('acquireAllowance', asked);
    return await this.#acquires.ask(asked, needs.length > 0);
  }

  /** To be called when a request waits for money that may have been asked for in advance. */
  hurry(): void {
    this.#acquires.hurry();
  }

  /** @param isHurried true if others may be waiting for the money. @throws the gRPC ServiceError */
  giveBack(given: GivenBack, isHurried: boolean): Promise<ReturnAllowanceResponseMessage> {
    return isHurried ? this.#return('returnAllowance', given) : this.#returns.ask(given, false);
  }

  async #acquire<Method extends 'acquireAllowance' | 'acquireAllowances'>(
    method: Method,
    ask: AskOf<'billing', Method>,
  ): Promise<AnswerOf<'billing', Method>> {
    const { client, lease, metrics } = this.#options;
    const patience = lease.patience(ACQUIRE_QUIET_MS, MOST_MS);
    return await metrics.count('acquire', async () => {
      try {
        return await client.call(patience, 'billing', method, ask);
      } catch (error) {
        throw grpcStatus(error) === GrpcStatus.DEADLINE_EXCEEDED ? new NoAnswer() : error;
      }
    });
  }

  async #return<Method extends 'returnAllowance' | 'returnAllowances'>(
    method: Method,
    given: AskOf<'billing', Method>,
  ): Promise<AnswerOf<'billing', Method>> {
    const { client, lease, metrics } = this.#options;
    const patience = lease.patience(RETURN_QUIET_MS, MOST_MS);
    return await metrics.count('return', () => client.call(patience, 'billing', method, given));
  }
}
