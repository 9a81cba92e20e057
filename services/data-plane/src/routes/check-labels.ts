import type { BodyLabels, Capability } from '@model-gateway/shared';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readLabels } from '../steps/read-labels.ts';
import { refuseForbidden, refuseUnlabelled } from '../steps/refuse-forbidden.ts';

export interface LabelledRequest {
  labels: BodyLabels | undefined;
  capability: Capability;
  /** True for a request that nobody pays for, which needs no labels. */
  isFree?: boolean;
}

/**
 * Reads the labels of a request. Checks those that its rules require, and the rules of its end user about
 * addresses and endpoints. Sets `record.endUserRules`.
 * @throws GatewayError 400, 403
 */
export function checkLabels(
  exchange: AuthenticatedExchange,
  { capability, isFree = false, labels }: LabelledRequest,
): void {
  const { record } = exchange;
  readLabels(exchange, labels);
  if (record.endUser !== undefined) record.endUserRules = record.key.endUsers?.template;
  if (record.endUserRules !== undefined) refuseForbidden(record, capability);
  if (!isFree) refuseUnlabelled(record);
}
