import { z } from 'zod';
import { notCounted, unexpectedJson } from '../../failures/provider-failures.ts';
import type { CountEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { editedJson, JSON_TYPE } from '../shared/write-json-body.ts';
import { bedrockBase64Body } from './bedrock-base64-body.ts';
import { inInvokeModel } from './bedrock-claude.ts';
import { bedrockModelPath, foundationModelOf, isBedrockClaude } from './bedrock-model-names.ts';

const counted = z.looseObject({ inputTokens: z.int().min(0) });

/**
 * Words of a refusal that is not about the prompt: models and regions without a count, and roles that may
 * invoke a model but not count for it.
 */
const NOT_COUNTED: Readonly<Record<number, RegExp>> = {
  400: /counting tokens|model identifier|on-demand throughput|inference profile/i,
  403: /bedrock:CountTokens/,
};

/**
 * CountTokens, of the request that InvokeModel would be sent. Bedrock has it for the models of Anthropic
 * alone.
 * Source: "CountTokens" of the API reference of Bedrock's runtime.
 */
export const bedrockCountTokens: CountEndpoint = {
  counts: isBedrockClaude,
  ask: ({ betas, body: { value }, passed }, upstreamModel) => {
    // InvokeModel insists on a bound, which must leave room for an answer after the thinking.
    const maxTokens = JSON.stringify(value.thinkingTokens + 1);
    const { edits, ...told } = inInvokeModel(betas);
    return buildPassthroughRequest(passed(), (body) => ({
      path: bedrockModelPath(foundationModelOf(upstreamModel), 'count-tokens'),
      accept: JSON_TYPE,
      body: bedrockBase64Body(
        '{"input":{"invokeModel":{"body":"',
        editedJson(body, { ...edits, max_tokens: maxTokens }),
        '"}}}',
      ),
      ...told,
      refusedAs: ({ bodyText, status }) =>
        NOT_COUNTED[status]?.test(bodyText) === true ? notCounted(status) : undefined,
    }));
  },
  whole: (value) => {
    const { data, error } = counted.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    return { body: { input_tokens: data.inputTokens }, usage: undefined };
  },
};
