import type { ImagesRequest } from '@model-gateway/shared';
import type { JsonEndpoint } from '../../contract/provider-protocol.ts';
import { isObject } from '../../json/json-object.ts';
import { MAX_PICTURES_BYTES } from '../shared/convert-images-to-openai.ts';
import { translatedRequest } from '../shared/translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { convertGeminiImages } from './convert-gemini-images.ts';
import { convertImagenImages } from './convert-imagen-images.ts';
import { geminiModelPath } from './gemini-model-path.ts';
import { IMAGES_TO_GEMINI, IMAGES_TO_IMAGEN } from './images-to-gemini.ts';

/** Imagen by `predict`; models of Gemini that draw by generateContent. */
export const geminiImages: JsonEndpoint<ImagesRequest> = {
  ask: ({ written }, upstreamModel) => {
    const [method, translation] = upstreamModel.startsWith('imagen-')
      ? (['predict', IMAGES_TO_IMAGEN] as const)
      : (['generateContent', IMAGES_TO_GEMINI] as const);
    const asked = { path: geminiModelPath(upstreamModel, method), accept: JSON_TYPE };
    return translatedRequest(asked, written(upstreamModel, translation));
  },
  answered: (answer) =>
    isObject(answer) && ('candidates' in answer || 'promptFeedback' in answer)
      ? convertGeminiImages(answer)
      : convertImagenImages(answer),
  maxAnswerBytes: MAX_PICTURES_BYTES,
};
