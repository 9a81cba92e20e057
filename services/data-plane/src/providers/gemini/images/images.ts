import type { ImagesRequest } from '@model-gateway/shared';
import { isObject } from '../../../translation/json-object.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { MAX_PICTURES_BYTES } from '../../drawn-pictures.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { modelPath } from '../model-path.ts';
import { contentPictures } from './content-pictures.ts';
import { CONTENT_FROM_IMAGES, PREDICTION_FROM_IMAGES } from './images-translations.ts';
import { predictedPictures } from './predicted-pictures.ts';

/** Imagen by `predict`; models of Gemini that draw by generateContent. */
export const images: JsonEndpoint<ImagesRequest> = {
  ask: ({ written }, upstreamModel) => {
    const [method, translation] = upstreamModel.startsWith('imagen-')
      ? (['predict', PREDICTION_FROM_IMAGES] as const)
      : (['generateContent', CONTENT_FROM_IMAGES] as const);
    const asked = { path: modelPath(upstreamModel, method), accept: JSON_TYPE };
    return askWritten(asked, written(upstreamModel, translation));
  },
  answered: (answer) =>
    isObject(answer) && ('candidates' in answer || 'promptFeedback' in answer)
      ? contentPictures(answer)
      : predictedPictures(answer),
  maxAnswerBytes: MAX_PICTURES_BYTES,
};
