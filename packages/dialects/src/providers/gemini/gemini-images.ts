import type { ImagesRequest } from '@model-gateway/shared';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { isObject } from '../../json/json-object.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { MAX_PICTURES_BYTES } from '../shared/convert-images-to-openai.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { convertGeminiImagesToOpenAi } from './convert-gemini-images-to-openai.ts';
import { convertImagenImagesToOpenAi } from './convert-imagen-images-to-openai.ts';
import { geminiModelPath } from './gemini-model-path.ts';
import { IMAGES_TO_GEMINI, IMAGES_TO_IMAGEN } from './images-to-gemini.ts';

/** Imagen has `predict`, image models of Gemini have generateContent. */
export const geminiImages: JsonEndpoint<ImagesRequest> = {
  buildRequest: ({ translate }, upstreamModel) => {
    const [method, translation] = upstreamModel.startsWith('imagen-')
      ? (['predict', IMAGES_TO_IMAGEN] as const)
      : (['generateContent', IMAGES_TO_GEMINI] as const);
    const head = { path: geminiModelPath(upstreamModel, method), accept: JSON_TYPE };
    return buildTranslatedRequest(head, translate(upstreamModel, translation));
  },
  convertResponse: (answer) =>
    isObject(answer) && ('candidates' in answer || 'promptFeedback' in answer)
      ? convertGeminiImagesToOpenAi(answer)
      : convertImagenImagesToOpenAi(answer),
  maxResponseBytes: MAX_PICTURES_BYTES,
};
