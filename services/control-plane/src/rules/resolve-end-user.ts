import type { EndUserRulesStore } from './end-user-rules-store.ts';
import { resolveRules } from './resolved-rules.ts';

/** Returns the own rules of an end user of an account; without `rules` when it has none. */
export async function resolveEndUser(
  { endUserRulesStore }: { endUserRulesStore: EndUserRulesStore },
  { accountId, endUser }: { accountId: string; endUser: string },
) {
  const found = await endUserRulesStore.find(accountId, endUser);
  if (found === undefined) return { version: 0 };
  const resolved = resolveRules(found, () => found);
  return { version: found.version, ...(resolved === undefined ? {} : { rules: resolved.message }) };
}
