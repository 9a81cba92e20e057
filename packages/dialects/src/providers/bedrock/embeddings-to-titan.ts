import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';
import type { Translation } from '../../translation/translation.ts';

/** Rules for each field of POST /v1/embeddings at Titan Text Embeddings. */
export const TITAN_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  input: carried('`inputText`; more than one text is refused, and so are tokens'),
  dimensions: carried('`dimensions`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

/** Titan reads one text in a request. Source: "Amazon Titan Embeddings text" of the user guide of Bedrock. */
export const EMBEDDINGS_TO_TITAN: Translation = {
  name: 'titan embeddings from embeddings',
  omitsModel: true,
  apply: (request, { id }) => {
    const reader = new FieldReader(id, TITAN_FIELDS);
    const { dimensions, input } = reader.members(request, '');
    const [text, ...others] = Array.isArray(input) ? input : [input];
    if (typeof text !== 'string') throw reader.refusal('input', 'takes a text, and no numbers of tokens');
    if (others.length > 0)
      throw reader.refusal('input', 'takes one text in a request: send a request for each text');
    return {
      request: { inputText: text, ...(dimensions === undefined ? {} : { dimensions }) },
      ignored: reader.ignored,
    };
  },
};
