import type { GetKeyResponseMessage } from '@model-gateway/contracts';
import type { StopSignal } from '@model-gateway/service-kit';
import type { KeyResponse, UsageSummary } from '@model-gateway/shared';
import { keyUnreadable } from '@model-gateway/shared/errors';
import { rulesReport, ruleTimeMs } from '@model-gateway/shared/rules';
import type { KeyContext } from '../keys/key-context.ts';
import type { UsageSource } from './fetch-usage.ts';

/** Bounds the wait for a silent control plane, and in all for a slow one. */
const QUIET_MS = 3_000;
const MAX_MS = 10_000;

/**
 * Fetches a key with its rules and budgets from the control plane.
 * @throws GatewayError 503 if it does not respond; the signal's reason
 */
export async function fetchKey(
  { controlPlane, keyWatch }: UsageSource,
  { accountId, keyId }: KeyContext,
  signal: StopSignal,
): Promise<GetKeyResponseMessage> {
  const patience = keyWatch.patience(QUIET_MS, MAX_MS);
  try {
    return await controlPlane.call(patience, 'keys', 'getKey', { accountId, keyId }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw keyUnreadable(error);
  }
}

/** Converts a key to the form of docs/endpoints.md, "GET /v1/key". */
export function keyAnswer(
  { key, rules: message, teamId }: GetKeyResponseMessage,
  limits: UsageSummary['limits'],
): KeyResponse {
  if (key === null || message === null) throw new Error('the control plane sent no key');
  const { from: _, spend, ...rules } = rulesReport.parse(JSON.parse(message.reportJson));
  const expiresAt = rules.effective.expires_at;
  return {
    object: 'key',
    id: key.id,
    name: key.name,
    prefix: key.displayPrefix,
    account_id: key.accountId,
    team_id: teamId ?? null,
    created: Math.floor(Number(key.createdAtMs) / 1_000),
    expires_at: expiresAt === null ? null : unixSeconds(expiresAt),
    rules,
    budgets: spend.map(({ on_exceed, resets_at, ...budget }) => ({
      ...budget,
      resets_at: resets_at === null ? null : unixSeconds(resets_at),
    })),
    limits,
    tags: key.tags,
  };
}

function unixSeconds(time: string | number): number {
  return Math.floor(ruleTimeMs(time) / 1_000);
}
