import type { EmbeddingsRequest } from '@model-gateway/shared';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import { isObject, type JsonObject } from '../../json/json-object.ts';
import { convertVectorsToOpenAi } from '../shared/convert-vectors-to-openai.ts';

const answer = z.looseObject({
  embedding: z.array(z.number()).min(1),
  inputTextTokenCount: z.int().min(0).max(1_000_000_000).nullish().catch(null),
});

export function isTitanResponse(value: unknown): boolean {
  return isObject(value) && 'embedding' in value;
}

export function convertTitanEmbeddingsToOpenAi(value: unknown, request: EmbeddingsRequest): JsonObject {
  const { data, error } = answer.safeParse(value);
  if (data === undefined) throw unexpectedJson(error);
  return convertVectorsToOpenAi([data.embedding], data.inputTextTokenCount ?? undefined, request);
}
