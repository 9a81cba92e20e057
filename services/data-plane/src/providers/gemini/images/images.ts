import type { ImagesRequest } from '@model-gateway/shared';
import { isObject } from '../../../translation/json-object.ts';
import { translatedRequest } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { MAX_PICTURES_BYTES } from '../../drawn-pictures.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { geminiModelPath } from '../model-path.ts';
import { convertGeminiImages } from './content-pictures.ts';
import { IMAGES_TO_GEMINI, IMAGES_TO_IMAGEN } from './images-translations.ts';
import { convertImagenImages } from './predicted-pictures.ts';

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
