import type { GetHolderLimitsResponseMessage } from '@model-gateway/contracts';
import { type LimitsResponse, limitsResponse } from '../../wire/limits.ts';

const limitName = limitsResponse.shape.keys.element.shape.limits.element.shape.name;

export function toLimitsResponse({ keys }: GetHolderLimitsResponseMessage): LimitsResponse {
  return {
    keys: keys.map(({ keyId, keyName, limits }) => ({
      keyId,
      name: keyName,
      limits: limits.map(({ name, limit, windowSeconds, used }) => ({
        name: limitName.parse(name),
        limit,
        windowSeconds: windowSeconds ?? null,
        used: used ?? null,
      })),
    })),
  };
}
