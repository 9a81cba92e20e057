import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';
import { numberAt, textAt } from '../../translation/field-values.ts';
import { parseImageSize } from '../../translation/image-size.ts';
import type { Translation } from '../../translation/translation.ts';

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

/** Source: "Amazon Nova Canvas" and "Amazon Titan Image Generator" of the user guides of AWS. */
const MAX_PICTURES = 5;
const QUALITIES: ReadonlyMap<unknown, string> = new Map([
  ['low', 'standard'],
  ['medium', 'standard'],
  ['standard', 'standard'],
  ['high', 'premium'],
  ['hd', 'premium'],
  ['premium', 'premium'],
]);

/** Nova Canvas and Titan Image Generator have the same API. */
export const IMAGES_TO_CANVAS: Translation = {
  name: 'canvas from images',
  omitsModel: true,
  apply: (request, { id }) => {
    const reader = new FieldReader(id, BEDROCK_IMAGE_FIELDS);
    const members = reader.members(request, '');
    const { n = 1, prompt, quality = 'auto', response_format = 'b64_json', size = 'auto' } = members;
    if (response_format !== 'b64_json')
      throw reader.refusal('response_format', 'keeps no pictures at an address: ask for b64_json');
    const numberOfImages = numberAt(n, 'n');
    if (numberOfImages > MAX_PICTURES)
      throw reader.refusal('n', `draws at most ${MAX_PICTURES} pictures in a request`);
    const named = QUALITIES.get(quality);
    if (named === undefined && quality !== 'auto')
      throw reader.refusal('quality', 'draws in the qualities standard and premium');
    const pixels = size === 'auto' ? {} : parseImageSize(textAt(size, 'size'));
    if (pixels === undefined) throw reader.refusal('size', 'takes a size such as 1024x1024');
    return {
      request: {
        taskType: 'TEXT_IMAGE',
        textToImageParams: { text: textAt(prompt, 'prompt') },
        imageGenerationConfig: {
          numberOfImages,
          ...pixels,
          ...(named === undefined ? {} : { quality: named }),
        },
      },
      ignored: reader.ignored,
    };
  },
};
