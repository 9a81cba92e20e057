import { FieldReader } from '../../translation/field-reader.ts';
import { numberAt, textAt } from '../../translation/field-values.ts';
import { parseImageSize } from '../../translation/image-size.ts';
import type { Translation } from '../../translation/translation.ts';
import { BEDROCK_IMAGE_FIELDS } from './bedrock-image-fields.ts';

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

/** Nova Canvas and Titan Image Generator take the same. */
export const IMAGES_TO_CANVAS: Translation = {
  name: 'canvas from images',
  leavesModelOut: true,
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
