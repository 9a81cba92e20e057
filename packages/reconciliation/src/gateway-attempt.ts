import type { ProviderAttemptMessage } from '@model-gateway/contracts';
import { disjointUnits, type UnitCounts } from '@model-gateway/provider-bills';
import { perUnit } from '@model-gateway/shared';

/** The values of `ending` in the proto. One that only a newer control plane knows counts as `estimated`. */
export const ENDINGS = ['completed', 'aborted', 'estimated', 'crashed', 'timed_out', 'retried'] as const;
export type Ending = (typeof ENDINGS)[number];

/** An attempt at the provider, as the gateway recorded it. Money is nano-USD. */
export interface GatewayAttempt {
  requestId: string;
  /** Null: there was no response, or it had no id. */
  providerRequestId: string | null;
  startedAtMs: number;
  endedAtMs: number;
  /** Decides the day on which the gateway counts it. */
  requestEndedAtMs: number;
  modelId: string;
  /** Variable of the credential. */
  credential: string | null;
  ending: Ending;
  /** Each token is in one unit, as in bills (`disjointUnits`). */
  units: UnitCounts;
  cost: bigint;
  /** The bounds of what the provider may charge. */
  minCost: bigint;
  maxCost: bigint;
  /** Output tokens that `maxCost` pays for. */
  maxOutputTokens: bigint;
  /** Units that the model has no price for. */
  unpriced: readonly string[];
}

/** Converts an attempt from the control plane. */
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

/** Returns true unless the gateway knows that the provider bills nothing for it. */
export function isBillable({ cost, units }: Pick<GatewayAttempt, 'cost' | 'units'>): boolean {
  return cost > 0n || Object.keys(units).length > 0;
}
