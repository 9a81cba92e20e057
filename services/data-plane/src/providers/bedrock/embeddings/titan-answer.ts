import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../../translation/json-object.ts';
import { toldVectors } from '../../told-vectors.ts';

const answer = z.looseObject({
  embedding: z.array(z.number()).min(1),
  inputTextTokenCount: z.int().min(0).max(1_000_000_000).nullish().catch(null),
});

export function isTitanAnswer(value: unknown): boolean {
  return isObject(value) && 'embedding' in value;
}

/** Titan's vector in OpenAI's shape. @throws GatewayError 502 for what is none */
export function titanEmbeddings(value: unknown, request: EmbeddingsRequest): JsonObject {
  const { data, error } = answer.safeParse(value);
  if (data === undefined) throw notAsExpected(error);
  return toldVectors([data.embedding], data.inputTextTokenCount ?? undefined, request);
}
