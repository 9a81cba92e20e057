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
import type { BalanceFigures } from './balance-refusals.ts';
import { BatchedCalls } from './batched-calls.ts';
import type { Granted, PayerAllowance } from './payer-allowance.ts';

/** Must exceed the time that the control plane waits for other data planes to return unused money. */
const ACQUIRE_QUIET_MS = 3_000;
const RETURN_QUIET_MS = 1_000;
/**
 * Upper bound for a slow but responsive control plane. Repeating a call that it still works on would only add
 * load.
 */
const MAX_MS = 10_000;

/** The lease on which the allowances depend: that of the key watch. */
export interface AllowanceLease {
  /** Returns true while the granted money still belongs to this process. */
  ownsGrants(): boolean;
  /** Returns true while the control plane grants money on this lease. */
  isLive(): boolean;
  /**
   * Waits for the renewal of the lease.
   * @returns false when no control plane responds
   */
  renewed(): Promise<boolean>;
  patience(quietMs: number, mostMs: number): Patience;
}

export interface AllowanceCallsOptions {
  client: ControlPlaneClient;
  instanceId: string;
  lease: AllowanceLease;
  metrics: AllowanceMetrics;
}

/** Thrown when no control plane responds in time. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';

  constructor() {
    super('no response from the control plane');
  }
}

/** Reads the grant of a response. */
export function grantOf({ exact, granted, recall, uncollected }: AcquireAllowanceResponseMessage): Granted {
  return { exact, granted: BigInt(granted), recall, uncollected: BigInt(uncollected) };
}

/** Returns the balance in a response that covers nothing. @param unused money left in the allowance */
export function balanceOf(
  { available, held, resetsAt, shortBudget, uncollected }: AcquireAllowanceResponseMessage,
  { funding }: Pick<PayerAllowance, 'funding'>,
  unused: bigint,
): BalanceFigures {
  const window = funding.windows.find(({ id }) => id === shortBudget?.windowId);
  return {
    availableNanoUsd: BigInt(available) + unused,
    heldNanoUsd: BigInt(held) - unused,
    resetsAt: resetsAt === undefined ? undefined : Number(resetsAt),
    uncollectedNanoUsd: BigInt(uncollected),
    ...(shortBudget && window
      ? {
          budget: {
            window,
            limitNanoUsd: BigInt(shortBudget.limit),
            availableNanoUsd: BigInt(shortBudget.remaining) + unused,
            heldNanoUsd: BigInt(shortBudget.held) - unused,
          },
        }
      : {}),
  };
}

interface AllowanceRequest {
  allowanceId: string;
  instanceId: string;
  payer: PayerLevel[];
  budgets: string[];
  needs: string[];
  spare: string;
  returned: string;
}

interface AllowanceReturn {
  allowanceId: string;
  returned: string;
  recall: number;
  close: boolean;
  granted: string;
}

/** The calls about money (proto/gateway/v1/billing.proto). They carry totals, so they may be repeated. */
export class AllowanceCalls {
  readonly #options: AllowanceCallsOptions;
  readonly #acquires = new BatchedCalls<AllowanceRequest, AcquireAllowanceResponseMessage>({
    batch: async (requests) => {
      const { answers } = await this.#acquire('acquireAllowances', { allowances: [...requests] });
      return requests.map(({ allowanceId }) => answers[allowanceId]);
    },
    single: (request) => this.#acquire('acquireAllowance', request),
  });
  readonly #returns = new BatchedCalls<AllowanceReturn, ReturnAllowanceResponseMessage>({
    batch: async (returns) => {
      const { answers } = await this.#return('returnAllowances', { allowances: [...returns] });
      return returns.map(({ allowanceId }) => answers[allowanceId]);
    },
    single: (one) => this.#return('returnAllowance', one),
  });

  constructor(options: AllowanceCallsOptions) {
    this.#options = options;
  }

  /**
   * Requests money in one call together with other payers. A payer whose pools are nearly empty, or who
   * returns money, gets a call of its own: the batch call only serves payers with plenty.
   * @param needs nano-USD that each waiting request needs; empty: the call may wait to be sent with others
   * @throws NoResponse; the gRPC ServiceError
   */
  async acquire(
    allowance: PayerAllowance,
    needs: readonly bigint[],
  ): Promise<AcquireAllowanceResponseMessage> {
    const { id: allowanceId, spareWanted: spare, returned } = allowance;
    const request = {
      allowanceId,
      instanceId: this.#options.instanceId,
      payer: [...allowance.funding.payer],
      budgets: [...allowance.funding.windowIds],
      needs: needs.map(String),
      spare: String(spare),
      returned: String(returned),
    };
    const isExact = allowance.isExact && allowance.granted > 0n;
    if (isExact || allowance.owesReturn) return await this.#acquire('acquireAllowance', request);
    return await this.#acquires.add(request, needs.length > 0);
  }

  /** Call this when a request waits for money that may already be requested in advance. */
  sendSoon(): void {
    this.#acquires.sendSoon();
  }

  /**
   * Returns money to the pools. @param isUrgent true if others may wait for it. @throws the gRPC
   * ServiceError
   */
  giveBack(one: AllowanceReturn, isUrgent: boolean): Promise<ReturnAllowanceResponseMessage> {
    return isUrgent ? this.#return('returnAllowance', one) : this.#returns.add(one, false);
  }

  async #acquire<Method extends 'acquireAllowance' | 'acquireAllowances'>(
    method: Method,
    request: AskOf<'billing', Method>,
  ): Promise<AnswerOf<'billing', Method>> {
    const { client, lease, metrics } = this.#options;
    const patience = lease.patience(ACQUIRE_QUIET_MS, MAX_MS);
    return await metrics.count('acquire', async () => {
      try {
        return await client.call(patience, 'billing', method, request);
      } catch (error) {
        throw grpcStatus(error) === GrpcStatus.DEADLINE_EXCEEDED ? new NoResponse() : error;
      }
    });
  }

  async #return<Method extends 'returnAllowance' | 'returnAllowances'>(
    method: Method,
    request: AskOf<'billing', Method>,
  ): Promise<AnswerOf<'billing', Method>> {
    const { client, lease, metrics } = this.#options;
    const patience = lease.patience(RETURN_QUIET_MS, MAX_MS);
    return await metrics.count('return', () => client.call(patience, 'billing', method, request));
  }
}
