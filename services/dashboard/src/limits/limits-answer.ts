import type { GetHolderLimitsResponseMessage } from '@model-gateway/contracts';
import { type LimitsAnswer, limitsAnswer as wire } from '../../wire/limits.ts';
import type { KeyName } from '../keys/key-names.ts';

const limitName = wire.shape.keys.element.shape.limits.element.shape.name;

export function limitsAnswer(
  { keys }: GetHolderLimitsResponseMessage,
  nameOf: (keyId: string) => KeyName,
): LimitsAnswer {
  return {
    keys: keys.map(({ keyId, limits }) => ({
      keyId,
      name: nameOf(keyId).name,
      limits: limits.map(({ name, limit, windowSeconds, used }) => ({
        name: limitName.parse(name),
        limit,
        windowSeconds: windowSeconds ?? null,
        used: used ?? null,
      })),
    })),
  };
}
