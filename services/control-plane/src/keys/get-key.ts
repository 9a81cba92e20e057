import type { RulesReport } from '@model-gateway/shared/rules';
import { type ReportRulesContext, reportRules } from '../rules/report-rules.ts';
import { type RulesOwnerContext, rulesOwnerOfKey } from '../rules/rules-owner.ts';
import { requireOwnKey } from './revoke-key.ts';
import type { StoredKey } from './stored-key.ts';

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
