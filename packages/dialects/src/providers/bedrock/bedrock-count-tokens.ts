import { z } from 'zod';
import { notCounted, unexpectedJson } from '../../failures/provider-failures.ts';
import type { CountEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { editedJson, JSON_TYPE } from '../shared/write-json-body.ts';
import { bedrockBase64Body } from './bedrock-base64-body.ts';
import { editsForInvokeModel } from './bedrock-claude.ts';
import { bedrockModelPath, foundationModelOf, isBedrockClaude } from './bedrock-model-names.ts';

const counted = z.looseObject({ inputTokens: z.int().min(0) });

/** Errors that are not about the prompt: models, regions and roles without CountTokens. */
const NOT_COUNTED: Readonly<Record<number, RegExp>> = {
  400: /counting tokens|model identifier|on-demand throughput|inference profile/i,
  403: /bedrock:CountTokens/,
};

/** CountTokens takes the request of InvokeModel, and only for models of Anthropic. */
export const bedrockCountTokens: CountEndpoint = {
  counts: isBedrockClaude,
  buildRequest: ({ betas, body: { value }, passthroughBody }, upstreamModel) => {
    // InvokeModel requires `max_tokens` above the thinking budget.
    const maxTokens = JSON.stringify(value.thinkingTokens + 1);
    const { edits, ...rest } = editsForInvokeModel(betas, value.defersTools);
    return buildPassthroughRequest(passthroughBody('cloud'), (body) => ({
      path: bedrockModelPath(foundationModelOf(upstreamModel), 'count-tokens'),
      accept: JSON_TYPE,
      body: bedrockBase64Body(
        '{"input":{"invokeModel":{"body":"',
        editedJson(body, { ...edits, max_tokens: maxTokens }),
        '"}}}',
      ),
      ...rest,
      errorFor: ({ bodyText, status }) =>
        NOT_COUNTED[status]?.test(bodyText) === true ? notCounted(status) : undefined,
    }));
  },
  whole: (value) => {
    const { data, error } = counted.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    return { body: { input_tokens: data.inputTokens }, usage: undefined };
  },
};
