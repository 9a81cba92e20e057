import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';

const isAuto = (value: unknown) => value === 'auto';
const isOpaque = (value: unknown) => value === 'auto' || value === 'opaque';

/** Rules for each field of POST /v1/images/generations at models of Google. */
export const GEMINI_IMAGE_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  prompt: carried('`contents`, or the `prompt` of Imagen'),
  n: carried('`sampleCount` of Imagen, up to 4; other models draw one picture in a request'),
  size: carried(
    '`aspectRatio`; refused where the model draws none of it, and named in `x-gateway-ignored` unless it is ' +
      '`1024x1024`: how many pixels there are, the model decides',
  ),
  response_format: carried('pictures are sent as `b64_json`; `url` is refused'),
  stream: refused('sends its pictures whole', (value) => value === false),
  partial_images: refused('sends its pictures whole', (value) => value === 0),
  background: refused('draws no transparent pictures', isOpaque),
  output_format: refused('draws PNG pictures', (value) => value === 'png'),
  output_compression: refused('draws PNG pictures'),
  quality: ignored('the model draws in one quality', isAuto),
  style: ignored('say it in the prompt'),
  moderation: ignored('the provider decides', isAuto),
  user: ignored('it may be personal'),
};
