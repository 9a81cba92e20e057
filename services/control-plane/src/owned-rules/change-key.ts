import { CACHE_OFF, type Rules, type RulesReport, type Tags } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import { requireKey } from '../keys/revoke-key.ts';
import type { StoredKey } from '../keys/stored-key.ts';
import { parseJson, requireCache, requireRules, requireTags } from '../rules/read-rules.ts';
import { reportRules } from './report-rules.ts';
import { findRulesOwner } from './rules-owner.ts';
import { logChange, type RulesContext, requireLive } from './set-rules.ts';

/**
 * Changes the given members of a key's rules, its tags and its cache, and returns when no data plane uses the
 * old ones.
 * @param request.rulesJson undefined: unchanged
 * @param request.tags undefined: unchanged
 * @param request.cache `off` removes it; undefined: unchanged
 * @throws ControlPlaneError not_found, invalid_argument, failed_precondition (inactive key)
 */
export async function changeKey(
  context: RulesContext,
  actor: Actor,
  {
    cache,
    keyId,
    rulesJson,
    tags,
  }: { keyId: string; rulesJson?: string | undefined; tags?: Tags | undefined; cache?: string | undefined },
): Promise<{ key: StoredKey; report: RulesReport; unconfirmed: string[] }> {
  const owner = requireLive(await findRulesOwner(context, { kind: 'key', id: keyId, endUser: '' }));
  const members = rulesJson === undefined ? {} : parseJson(rulesJson);
  const change = (current: Rules | undefined): Rules => requireRules(merge(current, members));
  const settings = {
    ...(tags === undefined ? {} : { tags: requireTags(tags) }),
    ...(cache === undefined ? {} : { cache: cache === CACHE_OFF ? null : requireCache(cache) }),
  };
  const ofKey = Object.keys(settings).length === 0 ? undefined : { keyId, ...settings };
  const revision = await context.ownedRulesStore.change(actor, owner, change, ofKey);
  logChange(context, owner);
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  const report = await reportRules(context, owner);
  return { key: await requireKey(context, keyId), report, unconfirmed };
}

function merge(current: Rules | undefined, members: unknown): unknown {
  return typeof members === 'object' && members !== null && !Array.isArray(members)
    ? { ...current, ...members }
    : members;
}
