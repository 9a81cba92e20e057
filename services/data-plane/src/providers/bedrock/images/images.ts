import type { ImagesRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import { z } from 'zod';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { askWritten } from '../../ask-written.ts';
import type { JsonEndpoint } from '../../dialect.ts';
import { drawnPictures, MAX_PICTURES_BYTES } from '../../drawn-pictures.ts';
import { JSON_TYPE } from '../../json-body.ts';
import { modelPath } from '../model-names.ts';
import { CANVAS_FROM_IMAGES } from './images-translation.ts';

const CANVAS = /(?:^|[./])amazon\.(?:nova-canvas|titan-image-generator)-/;

/** Pictures that a filter has held back are missing, and `error` says so. */
const answer = z.looseObject({
  images: z.array(z.string().min(1)).nullish(),
  error: z.string().nullish(),
});

/** InvokeModel of Amazon's models that draw. */
export const images: JsonEndpoint<ImagesRequest> = {
  ask: ({ body, written }, upstreamModel) => {
    if (!CANVAS.test(upstreamModel))
      throw notExpressible(body.value.model, 'model', 'is none of the models known here that draw');
    const asked = { path: modelPath(upstreamModel, 'invoke'), accept: JSON_TYPE };
    return askWritten(asked, written(upstreamModel, CANVAS_FROM_IMAGES));
  },
  answered: (value) => {
    const { data, error } = answer.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    return drawnPictures(data.images ?? [], data.error?.slice(0, 500));
  },
  maxAnswerBytes: MAX_PICTURES_BYTES,
};
