import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertImagesToOpenAi } from '../shared/convert-images-to-openai.ts';

/** A filtered image is replaced by a reason. */
const prediction = z.looseObject({
  bytesBase64Encoded: z.string().min(1).optional(),
  raiFilteredReason: z.string().optional(),
});
/** The list is missing if there are no images. */
const answer = z.looseObject({ predictions: z.array(prediction).optional() });

export function convertImagenImagesToOpenAi(value: unknown): JsonObject {
  const { data, error } = answer.safeParse(value);
  if (data === undefined) throw unexpectedJson(error);
  const { predictions = [] } = data;
  const base64 = predictions.flatMap(({ bytesBase64Encoded }) => bytesBase64Encoded ?? []);
  return convertImagesToOpenAi(base64, predictions.find((one) => one.raiFilteredReason)?.raiFilteredReason);
}
