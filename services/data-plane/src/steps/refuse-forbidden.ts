import type { Capability, Unpriced } from '@model-gateway/shared';
import {
  endpointNotAllowed,
  endUserRequired,
  modelNotAllowed,
  networkNotAllowed,
  tagRequired,
} from '@model-gateway/shared/errors';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import { modelsNamed } from '../catalog/model-named.ts';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedRecord } from '../request-record.ts';
import { isAllowed, isInLists, isInNetworks } from '../rules/is-allowed.ts';

/**
 * Rejects a client address or a kind of request that rules, of the key or of the end user, do not allow.
 * @param capability undefined: the request calls no model
 * @throws GatewayError 403 `network_not_allowed`, `endpoint_not_allowed`
 */
export function refuseForbidden(
  { clientIp }: AuthenticatedRecord,
  { endpoints, networks }: EffectiveRules,
  capability?: Capability,
): void {
  if (!isInNetworks(networks, clientIp)) throw networkNotAllowed(clientIp);
  if (capability !== undefined && !isInLists(endpoints, capability)) throw endpointNotAllowed(capability);
}

/**
 * Rejects a request without a tag or an end user that its rules require.
 * @throws GatewayError 400 `tag_required`, `end_user_required`
 */
export function refuseUnlabelled({ endUser, endUserRules, key, tags = {} }: AuthenticatedRecord): void {
  const { endUsers, rules } = key;
  for (const required of [rules, endUserRules])
    for (const name of required?.requireTags ?? []) if (!Object.hasOwn(tags, name)) throw tagRequired(name);
  if (endUser !== undefined) return;
  if (rules?.requireEndUser === true || endUsers?.template?.requireEndUser === true) throw endUserRequired();
}

/**
 * Rejects a request that lets its provider call another model which the rules do not allow. A model that the
 * catalog does not have at this provider must be allowed by its name there.
 * @throws GatewayError 403 `model_not_allowed`
 */
export function refuseOtherModels(
  record: AuthenticatedRecord,
  { upstreams }: RoutedModel,
  unpriced: readonly Unpriced[] = [],
  table: ModelTable | undefined,
): void {
  for (const { needsModel, param } of unpriced) {
    if (needsModel === undefined || table === undefined) continue;
    const providers = new Set(upstreams.map(({ provider }) => provider.id));
    const known = modelsNamed(table, needsModel, providers).map(({ id }) => id);
    const ids = known.length > 0 ? known : [needsModel];
    if (!ids.every((id) => isAllowed(record, 'models', id)))
      throw modelNotAllowed(`the model ${JSON.stringify(needsModel.slice(0, 200))}`, param);
  }
}
