import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored, refused } from '../../translation/field-rules.ts';
import { numberAt, textAt } from '../../translation/field-values.ts';
import { aspectRatio, parseImageSize } from '../../translation/image-size.ts';
import type { Translation } from '../../translation/translation.ts';

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

/** Source: `imageConfig` and `PredictRequest` of Google's reference of the API. */
const IMAGEN_RATIOS: ReadonlySet<string> = new Set(['1:1', '3:4', '4:3', '9:16', '16:9']);
const GEMINI_RATIOS: ReadonlySet<string> = new Set([...IMAGEN_RATIOS, '2:3', '3:2', '4:5', '5:4', '21:9']);
const MAX_SAMPLES = 4;
/** The default square size of these models. */
const DEFAULT_SIZE = '1024x1024';

export const IMAGES_TO_GEMINI: Translation = {
  name: 'content from images',
  omitsModel: true,
  apply: (request, { id }) => {
    const { count, ignored, prompt, ratio, reader } = read(request, id, GEMINI_RATIOS);
    if (count > 1) throw reader.refusal('n', 'draws one picture in a request');
    return {
      request: {
        contents: [{ role: 'user', parts: [{ text: prompt }] }],
        generationConfig: {
          responseModalities: ['TEXT', 'IMAGE'],
          ...(ratio === undefined ? {} : { imageConfig: { aspectRatio: ratio } }),
        },
      },
      ignored,
    };
  },
};

export const IMAGES_TO_IMAGEN: Translation = {
  name: 'prediction from images',
  omitsModel: true,
  apply: (request, { id }) => {
    const { count, ignored, prompt, ratio, reader } = read(request, id, IMAGEN_RATIOS);
    if (count > MAX_SAMPLES) throw reader.refusal('n', `draws at most ${MAX_SAMPLES} pictures in a request`);
    return {
      request: {
        instances: [{ prompt }],
        parameters: { sampleCount: count, ...(ratio === undefined ? {} : { aspectRatio: ratio }) },
      },
      ignored,
    };
  },
};

function read(request: JsonObject, modelId: string, ratios: ReadonlySet<string>) {
  const reader = new FieldReader(modelId, GEMINI_IMAGE_FIELDS);
  const { n = 1, prompt, response_format = 'b64_json', size = 'auto' } = reader.members(request, '');
  if (response_format !== 'b64_json')
    throw reader.refusal('response_format', 'keeps no pictures at an address: ask for b64_json');
  const ratio = ratioOf(textAt(size, 'size'), ratios, reader);
  return {
    count: numberAt(n, 'n'),
    prompt: textAt(prompt, 'prompt'),
    ratio,
    ignored: reader.ignored,
    reader,
  };
}

function ratioOf(size: string, ratios: ReadonlySet<string>, reader: FieldReader): string | undefined {
  if (size === 'auto') return undefined;
  const pixels = parseImageSize(size);
  const ratio = pixels === undefined ? '' : aspectRatio(pixels);
  if (!ratios.has(ratio))
    throw reader.refusal('size', `draws in these ratios of width to height: ${[...ratios].join(', ')}`);
  if (size !== DEFAULT_SIZE) reader.ignore('size');
  return ratio;
}
