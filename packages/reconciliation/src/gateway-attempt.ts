import type { ProviderAttemptMessage } from '@model-gateway/contracts';
import { disjointUnits, type UnitCounts } from '@model-gateway/provider-bills';
import { perUnit } from '@model-gateway/shared';

/** How an attempt ended, as in the proto; an unknown one of a newer control plane counts as `estimated`. */
export const ENDINGS = ['completed', 'aborted', 'estimated', 'crashed', 'timed_out', 'retried'] as const;
export type Ending = (typeof ENDINGS)[number];

/** What the gateway has recorded of an attempt at the provider. Money is nano-USD. */
export interface GatewayAttempt {
  requestId: string;
  /** Null: there was no response, or none with an id. */
  providerRequestId: string | null;
  startedAtMs: number;
  endedAtMs: number;
  /** Decides the day to which the gateway counts it. */
  requestEndedAtMs: number;
  modelId: string;
  /** Variable of the credential. */
  credential: string | null;
  ending: Ending;
  /** Counted as in bills: each token once. */
  units: UnitCounts;
  cost: bigint;
  /** What the provider may charge is between these. */
  minCost: bigint;
  maxCost: bigint;
  maxOutputTokens: bigint;
  /** Units that the model has no price for. */
  unpriced: readonly string[];
}

export function readAttempt(message: ProviderAttemptMessage): GatewayAttempt {
  const { units } = message;
  return {
    requestId: message.requestId,
    providerRequestId: message.providerRequestId ?? null,
    startedAtMs: Number(message.startedAtMs),
    endedAtMs: Number(message.endedAtMs),
    requestEndedAtMs: Number(message.requestEndedAtMs),
    modelId: message.modelId,
    credential: message.credentialEnv ?? null,
    ending: ENDINGS.find((each) => each === message.ending) ?? 'estimated',
    units: units === null ? {} : disjointUnits(perUnit('unit', ({ unit }) => BigInt(units[unit]))),
    cost: BigInt(message.cost),
    minCost: BigInt(message.minCost),
    maxCost: BigInt(message.maxCost),
    maxOutputTokens: BigInt(message.maxOutputTokens),
    unpriced: message.unpriced,
  };
}

/** Returns true if the provider may bill something for it, as far as the gateway knows. */
export function isBillable({ cost, units }: Pick<GatewayAttempt, 'cost' | 'units'>): boolean {
  return cost > 0n || Object.keys(units).length > 0;
}
