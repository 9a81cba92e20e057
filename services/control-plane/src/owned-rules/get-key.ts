import type { RulesReport } from '@model-gateway/shared/rules';
import { requireOwnKey } from '../keys/revoke-key.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import { type ReportRulesContext, reportRules } from './report-rules.ts';
import { type RulesOwnerContext, rulesOwnerOfKey } from './rules-owner.ts';

/** Returns a key of the account with its rules. @throws ControlPlaneError not_found */
export async function getKey(
  context: RulesOwnerContext & ReportRulesContext,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<{ key: StoredKey; teamId: string | undefined; report: RulesReport }> {
  const key = await requireOwnKey(context, accountId, keyId);
  const seat = key.seatId === null ? null : await context.seatStore.find(key.seatId);
  const report = await reportRules(context, await rulesOwnerOfKey(context, key));
  return { key, teamId: seat?.teamId, report };
}
