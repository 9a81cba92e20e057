import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';
import { numberAt } from '../../translation/field-values.ts';
import type { Translation } from '../../translation/translation.ts';

/** Rules for each field of POST /v1/embeddings at Vertex AI. */
export const VERTEX_EMBEDDING_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  input: carried(
    'a text in each of the `instances` of `predict`, of which there may be 250, at models of Gemini one; of ' +
      '`gemini-embedding-2` the `content` of `embedContent`, which takes one; tokens are refused',
  ),
  dimensions: carried('`outputDimensionality`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

/** Source: "Text embeddings API" of Vertex AI's documentation. */
const MAX_TEXTS = 250;

/** Newer models have `embedContent` with one content. */
export function isVertexContentModel(upstreamModel: string): boolean {
  return /gemini-embedding-(?!0)/.test(upstreamModel);
}

/** Sets `autoTruncate: false`, so that texts that are too long are errors. */
export const EMBEDDINGS_TO_VERTEX: Translation = {
  name: 'embeddings on vertex',
  omitsModel: true,
  apply: (request, { id, upstreamModel }) => {
    const reader = new FieldReader(id, VERTEX_EMBEDDING_FIELDS);
    const { dimensions, input } = reader.members(request, '');
    const texts: unknown[] = Array.isArray(input) ? input : [input];
    const max = upstreamModel.includes('gemini-embedding') ? 1 : MAX_TEXTS;
    if (texts.length > max)
      throw reader.refusal(
        'input',
        `takes at most ${max === 1 ? 'one text' : `${max} texts`} in one request`,
      );
    const contents = texts.map((text) => {
      if (typeof text !== 'string') throw reader.refusal('input', 'takes texts, and no tokens');
      return text;
    });
    const size = dimensions === undefined ? {} : { outputDimensionality: numberAt(dimensions, 'dimensions') };
    const settings = { autoTruncate: false, ...size };
    return {
      request: isVertexContentModel(upstreamModel)
        ? contentOf(contents, settings)
        : instancesOf(contents, settings),
      ignored: reader.ignored,
    };
  },
};

function contentOf(texts: readonly string[], settings: JsonObject): JsonObject {
  return { content: { parts: texts.map((text) => ({ text })) }, ...settings };
}

function instancesOf(texts: readonly string[], parameters: JsonObject): JsonObject {
  return { instances: texts.map((content) => ({ content })), parameters };
}
