import type { SettleBatch } from '@model-gateway/contracts';
import { newRequestId, randomBase62 } from '@model-gateway/shared';
import { MODEL } from '../wire/answer-plan.ts';
import type { Release } from './release.ts';

export type SettledRecord = NonNullable<SettleBatch['records']>[number];

/** More nano-USD than a request costs here: so much a data plane sets aside before it knows the cost. */
const HELD = '1000000';
const TOKENS = '250';
const LATENCY_MS = 350;

/** An account with money for requests. */
export interface FundedAccount {
  accountId: string;
  allowanceId: string;
}

/** An API key and who pays for its requests. */
export interface PaidKey {
  keyId: string;
  payer: FundedAccount;
}

/** Records of requests that have ended just now, of keys taken at random, as a data plane reports them. */
export function settledRecords(
  count: number,
  keys: readonly PaidKey[],
  { hasOrderedIds }: Pick<Release, 'hasOrderedIds'>,
): SettledRecord[] {
  return Array.from({ length: count }, () => {
    const key = keys[Math.floor(Math.random() * keys.length)];
    if (key === undefined) throw new RangeError('no keys');
    return settledRecord(hasOrderedIds ? newRequestId() : `req_${randomBase62(24)}`, key);
  });
}

function settledRecord(requestId: string, { keyId, payer }: PaidKey): SettledRecord {
  return {
    requestId,
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
