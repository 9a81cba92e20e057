import type { ImagesRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { convertImagesToOpenAi, MAX_PICTURES_BYTES } from '../shared/convert-images-to-openai.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { IMAGES_TO_CANVAS } from './images-to-canvas.ts';

const CANVAS = /(?:^|[./])amazon\.(?:nova-canvas|titan-image-generator)-/;

/** `error` explains missing images that a filter removed. */
const answer = z.looseObject({
  images: z.array(z.string().min(1)).nullish(),
  error: z.string().nullish(),
});

/** InvokeModel with image models of Amazon. */
export const bedrockImages: JsonEndpoint<ImagesRequest> = {
  buildRequest: ({ body, translate }, upstreamModel) => {
    if (!CANVAS.test(upstreamModel))
      throw notExpressible(body.value.model, 'model', 'is none of the models known here that draw');
    const head = { path: bedrockModelPath(upstreamModel, 'invoke'), accept: JSON_TYPE };
    return buildTranslatedRequest(head, translate(upstreamModel, IMAGES_TO_CANVAS));
  },
  convertResponse: (value) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    return convertImagesToOpenAi(data.images ?? [], data.error?.slice(0, 500));
  },
  maxResponseBytes: MAX_PICTURES_BYTES,
};
