import { modelNotAllowed, responseNotAllowed } from '@model-gateway/shared/errors';
import { isAllowed, type RuledRecord } from './is-allowed.ts';

/**
 * Rejects a request for a stored response, or about one, whose model or provider the rules do not allow.
 * @param response without a model that is not called again, or a provider that is not known
 * @param param the field that names the response
 * @throws GatewayError 403 `model_not_allowed`
 */
export function refuseForbiddenResponse(
  record: RuledRecord,
  { modelId, providerId }: { modelId?: string | undefined; providerId?: string },
  param?: string,
): void {
  if (modelId !== undefined && !isAllowed(record, 'models', modelId))
    throw modelNotAllowed(`the model "${modelId}"`, param);
  if (providerId !== undefined && !isAllowed(record, 'providers', providerId))
    throw responseNotAllowed(param);
}
