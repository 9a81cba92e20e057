import type { SettleBatch } from '@model-gateway/contracts';
import { newRequestId } from '@model-gateway/shared';
import { MODEL } from '../wire/answer-plan.ts';

export type SettledRecord = NonNullable<SettleBatch['records']>[number];

/** More nano-USD than a request costs here: what a data plane reserves before it knows the cost. */
const HELD = '1000000';
const TOKENS = '250';
const LATENCY_MS = 350;

/** An account with money for requests. */
export interface FundedAccount {
  accountId: string;
  allowanceId: string;
}

/** An API key and its payer. */
export interface PaidKey {
  keyId: string;
  payer: FundedAccount;
}

/** Creates records of requests that ended just now, of random keys, as a data plane reports them. */
export function settledRecords(count: number, keys: readonly PaidKey[]): SettledRecord[] {
  return Array.from({ length: count }, () => {
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) throw new RangeError('no keys');
    return settledRecord(key);
  });
}

function settledRecord({ keyId, payer }: PaidKey): SettledRecord {
  return {
    requestId: newRequestId(),
    modelId: MODEL,
    capability: 'chat',
    owner: { accountId: payer.accountId },
    keyId,
    priceVersion: 1,
    units: { inputTokens: TOKENS, outputTokens: TOKENS },
    usageSource: 'provider',
    billingReason: 'completed',
    held: HELD,
    allowanceId: payer.allowanceId,
    clientStatus: 200,
    endedAtMs: Date.now(),
    attempts: [
      {
        providerId: 'fixed',
        outcome: 'completed',
        latencyMs: LATENCY_MS,
        endedAtMs: Date.now(),
        httpStatus: 200,
      },
    ],
  };
}
