import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertImagesToOpenAi } from '../shared/convert-images-to-openai.ts';

/** A picture that the provider's filter has held back has a reason in its place. */
const prediction = z.looseObject({
  bytesBase64Encoded: z.string().min(1).optional(),
  raiFilteredReason: z.string().optional(),
});
/** Without any picture there is not even the list. */
const answer = z.looseObject({ predictions: z.array(prediction).optional() });

/** The pictures of an answer of Imagen in OpenAI's shape. It counts nothing else than its pictures. */
export function convertImagenImagesToOpenAi(value: unknown): JsonObject {
  const { data, error } = answer.safeParse(value);
  if (data === undefined) throw unexpectedJson(error);
  const { predictions = [] } = data;
  const base64 = predictions.flatMap(({ bytesBase64Encoded }) => bytesBase64Encoded ?? []);
  return convertImagesToOpenAi(base64, predictions.find((one) => one.raiFilteredReason)?.raiFilteredReason);
}
