import type { GetHolderLimitsResponseMessage } from '@model-gateway/contracts';
import { type LimitsAnswer, limitsAnswer as wire } from '../../wire/limits.ts';

const limitName = wire.shape.keys.element.shape.limits.element.shape.name;

export function limitsAnswer({ keys }: GetHolderLimitsResponseMessage): LimitsAnswer {
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
