import type { RulesOwnerMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import type { RulesReport } from '@model-gateway/shared/rules';
import type { Actor } from '../actors/actor.ts';
import type { WatcherWait } from '../data-planes/watcher-wait.ts';
import { failedPrecondition, permissionDenied } from '../errors/control-plane-error.ts';
import { parseJson, requireEndUserRules, requireRules } from '../rules/read-rules.ts';
import type { OwnedRulesStore } from './owned-rules-store.ts';
import { type ReportRulesContext, reportRules } from './report-rules.ts';
import { findRulesOwner, type RulesOwner, type RulesOwnerContext } from './rules-owner.ts';

export interface RulesContext extends RulesOwnerContext, ReportRulesContext {
  accountStore: RulesOwnerContext['accountStore'];
  ownedRulesStore: OwnedRulesStore;
  watcherWait: WatcherWait;
  log: Logger;
}

/** Returns the rules of an owner. @throws ControlPlaneError invalid_argument, not_found */
export async function getRules(
  context: RulesOwnerContext & ReportRulesContext,
  owner: RulesOwnerMessage | null,
): Promise<RulesReport> {
  return await reportRules(context, await findRulesOwner(context, owner));
}

/**
 * Replaces the rules of an owner, and returns when no data plane uses the old ones, waiting as for a
 * revocation.
 * @returns `unconfirmed`: data planes that did not confirm in time
 * @throws ControlPlaneError invalid_argument, not_found, permission_denied (cap of the operator),
 *   failed_precondition (the owner has ended)
 */
export async function setRules(
  context: RulesContext,
  actor: Actor,
  { owner: message, rulesJson }: { owner: RulesOwnerMessage | null; rulesJson: string },
): Promise<{ report: RulesReport; unconfirmed: string[] }> {
  const owner = requireLive(await findRulesOwner(context, message));
  if (message?.kind === 'account') requireOperator(actor);
  const next = parseJson(rulesJson);
  const parsed = next === null ? undefined : requireRules(next);
  if (parsed !== undefined && isOfEndUsers(message)) requireEndUserRules(parsed);
  const revision = await context.ownedRulesStore.change(actor, owner, () => parsed);
  logChange(context, owner);
  const unconfirmed = revision === undefined ? [] : await context.watcherWait.until(revision);
  return { report: await reportRules(context, owner), unconfirmed };
}

/**
 * Rules of an account are a cap that operators set. Users give keys that are bound to their account every
 * scope that changes rules, but not this one.
 * @throws ControlPlaneError permission_denied
 */
function requireOperator(actor: Actor): void {
  if (actor.type !== 'admin_key' || actor.accountId === undefined) return;
  if (!actor.scopes.includes('accounts:write'))
    throw permissionDenied('rules of an account need an admin key with the scope "accounts:write"');
}

function isOfEndUsers(owner: RulesOwnerMessage | null): boolean {
  return owner?.kind === 'end_users' || owner?.kind === 'end_user';
}

/** @throws ControlPlaneError failed_precondition */
export function requireLive(owner: RulesOwner): RulesOwner {
  if (owner.refusal !== undefined) throw failedPrecondition(owner.refusal);
  return owner;
}

export function logChange(
  { log }: Pick<RulesContext, 'log'>,
  { accountId, endUser, text }: RulesOwner,
): void {
  // Ids of end users are personal data, so logs do not have them.
  const rules = endUser === undefined ? text : 'end_user';
  log.info({ rules, account_id: accountId }, 'rules changed');
}
