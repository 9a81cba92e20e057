import type { GatewayError } from '@model-gateway/shared';
import { modelNotAllowed, providersNotAllowed } from '@model-gateway/shared/errors';
import type { ModelChoice, RoutedModel } from '../catalog/model-table.ts';
import { isAllowed, type RuledRecord } from './is-allowed.ts';

/** Returns a model with the upstreams that a request may use; undefined if it may not use the model. */
function allowedModel(record: RuledRecord, model: RoutedModel): RoutedModel | undefined {
  if (!isAllowed(record, 'models', model.id)) return undefined;
  const upstreams = model.upstreams.filter(({ provider }) => isAllowed(record, 'providers', provider.id));
  if (upstreams.length === model.upstreams.length) return model;
  return upstreams.length === 0 ? undefined : { ...model, upstreams };
}

/**
 * Returns the models behind a name that a request may use. If it may use none of the members, the first
 * allowed fallback takes their place.
 * @returns undefined if it may use none of the fallbacks either
 */
export function allowedChoice(record: RuledRecord, choice: ModelChoice): ModelChoice | undefined {
  if (record.key.rules === undefined && record.endUserRules === undefined) return choice;
  const members = choice.members.flatMap(({ model, weight }) => {
    const allowed = allowedModel(record, model);
    return allowed === undefined ? [] : [{ model: allowed, weight }];
  });
  const fallbacks = choice.fallbacks.flatMap((fallback) => allowedModel(record, fallback) ?? []);
  const [first, ...more] = members;
  if (first !== undefined) return { members: [first, ...more], fallbacks };
  const [fallback, ...others] = fallbacks;
  return fallback && { members: [{ model: fallback, weight: 1 }], fallbacks: others };
}

/**
 * Returns the error for a name behind which the request may use no model.
 * @param name as in the request
 * @param param the field with the name
 */
export function choiceNotAllowed(
  record: RuledRecord,
  { members }: ModelChoice,
  name: string,
  param: string,
): GatewayError {
  const [{ model }, ...others] = members;
  const subject = others.length === 0 ? `the model "${model.id}"` : `any model behind "${name}"`;
  const isListed = members.some((member) => isAllowed(record, 'models', member.model.id));
  return isListed ? providersNotAllowed(subject, param) : modelNotAllowed(subject, param);
}
