import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';

const isAuto = (value: unknown) => value === 'auto';

/** Rules for each field of POST /v1/images/generations at models of Amazon. */
export const BEDROCK_IMAGE_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  prompt: carried('`textToImageParams.text`'),
  n: carried('`numberOfImages`, up to 5'),
  size: carried('`width` and `height`'),
  quality: carried('`quality`: `standard` for low and medium, `premium` for high and hd'),
  response_format: carried('pictures are sent as `b64_json`; `url` is refused'),
  stream: refused('sends its pictures whole', (value) => value === false),
  partial_images: refused('sends its pictures whole', (value) => value === 0),
  background: refused('draws no transparent pictures', (value) => value === 'auto' || value === 'opaque'),
  output_format: refused('draws PNG pictures', (value) => value === 'png'),
  output_compression: refused('draws PNG pictures'),
  style: ignored('say it in the prompt'),
  moderation: ignored('the provider decides', isAuto),
  user: ignored('it may be personal'),
};
