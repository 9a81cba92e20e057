import {
  chatCompletionsRequest,
  countTokensRequest,
  embeddingsRequest,
  messagesProviderError,
  messagesRequest,
  responsesRequest,
  speechRequest,
} from '@model-gateway/shared';
import type { CreateDocumentOptions, oas32 } from 'zod-openapi';

type Override = Extract<CreateDocumentOptions['override'], (...parameters: never[]) => void>;

const token: oas32.SchemaObject = { type: 'integer', minimum: 0 };
const inputs = { type: 'array', minItems: 1, maxItems: 2_048 } as const;

/** A chat names one model, or several. */
const namesModel = { anyOf: [{ required: ['model'] }, { required: ['models'] }] };

/** Rules that the gateway checks by code, as JSON Schema. */
const CHECKED_BY_CODE = new Map<unknown, object>([
  [chatCompletionsRequest.in, namesModel],
  [messagesRequest.in, namesModel],
  [countTokensRequest.in, namesModel],
  [responsesRequest.in, namesModel],
  [
    embeddingsRequest.in.shape.input,
    {
      anyOf: [
        { type: 'string', minLength: 1 },
        { ...inputs, items: { type: 'string', minLength: 1 } },
        { ...inputs, items: token },
        { ...inputs, items: { type: 'array', minItems: 1, items: token } },
      ],
    },
  ],
  // JSON Schema counts characters as the gateway does: in code points.
  [speechRequest.in.shape.input, { maxLength: 4_096 }],
]);

/** The field is accepted and dropped, so the request schemas do not name it. */
const notre = {
  description:
    'Your own notes, in any JSON. The gateway drops them before it sends the request to a provider, and does ' +
    'not store them.',
};

/**
 * @param closed true: the gateway's own responses may have no further fields. Otherwise no schema forbids
 *   any: a later version may add some, and clients must expect that.
 */
export function schemaOverride(closed: boolean): Override {
  return ({ zodSchema, jsonSchema }) => {
    Object.assign(jsonSchema, CHECKED_BY_CODE.get(zodSchema));
    if (zodSchema === chatCompletionsRequest.in) jsonSchema.properties = { ...jsonSchema.properties, notre };
    // These are bounds of JavaScript, not of the interface.
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (!closed) delete jsonSchema.additionalProperties;
    // The gateway's own errors have a code. Without this line they would also match the provider's schema.
    else if (zodSchema === messagesProviderError.shape.error) jsonSchema.not = { required: ['code'] };
  };
}
