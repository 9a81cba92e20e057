import type { BodyLabels, Capability } from '@model-gateway/shared';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { AuthenticatedRecord } from '../request-record.ts';
import { readLabels } from '../steps/read-labels.ts';
import { refuseForbidden, refuseUnlabelled } from '../steps/refuse-forbidden.ts';

export interface LabelledRequest {
  labels: BodyLabels | undefined;
  capability: Capability;
  /** True for a request that costs nothing, and so needs no labels. */
  isFree?: boolean;
}

/**
 * Reads the labels of a request, and checks that those are there which its rules require. Also checks its
 * address and endpoint against the rules of its end user. Sets `record.endUserRules`.
 * @returns undefined if that took no call, which saves a promise per request
 * @throws GatewayError 400, 403; 503 if the rules of its end user cannot be found
 */
export function checkLabels(
  { endUserRules }: Pick<DataPlaneContext, 'endUserRules'>,
  exchange: AuthenticatedExchange,
  { capability, isFree = false, labels }: LabelledRequest,
): Promise<void> | undefined {
  const { record } = exchange;
  readLabels(exchange, labels);
  const { endUser, key } = record;
  const rules =
    endUser === undefined || key.endUsers === undefined ? undefined : endUserRules.resolve(key, endUser);
  if (rules instanceof Promise)
    return rules.then((found) => checkRules(record, found, { capability, isFree }));
  checkRules(record, rules, { capability, isFree });
  return undefined;
}

function checkRules(
  record: AuthenticatedRecord,
  ofEndUser: EffectiveRules | undefined,
  { capability, isFree }: Required<Pick<LabelledRequest, 'capability' | 'isFree'>>,
): void {
  if (ofEndUser !== undefined) {
    record.endUserRules = ofEndUser;
    refuseForbidden(record, ofEndUser, capability);
  }
  if (!isFree) refuseUnlabelled(record);
}
