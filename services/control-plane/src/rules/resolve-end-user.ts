import type { EndUserStore } from './end-user-store.ts';
import { resolveRules } from './resolved-rules.ts';

/** Returns the own rules of an end user of an account; without `rules` when it has none. */
export async function resolveEndUser(
  { endUserStore }: { endUserStore: EndUserStore },
  { accountId, endUser }: { accountId: string; endUser: string },
) {
  const found = await endUserStore.find(accountId, endUser);
  if (found === undefined) return { version: 0 };
  const resolved = resolveRules(found, () => found);
  return { version: found.version, ...(resolved === undefined ? {} : { rules: resolved.message }) };
}
