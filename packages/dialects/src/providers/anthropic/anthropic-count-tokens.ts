import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { CountEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildPassthroughRequest } from '../shared/build-passthrough-request.ts';
import { JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { ANTHROPIC_PASSTHROUGH } from './read-anthropic-error.ts';

const counted = z.looseObject({ input_tokens: z.int().min(0) });

/** POST /messages/count_tokens: request and response pass unchanged. */
export const anthropicCountTokens: CountEndpoint = {
  buildRequest: ({ beta, passthroughBody }, upstreamModel) =>
    buildPassthroughRequest(passthroughBody(), (body) => ({
      path: beta ? '/messages/count_tokens?beta=true' : '/messages/count_tokens',
      accept: JSON_TYPE,
      body: jsonProviderBody(body, upstreamModel),
      ...ANTHROPIC_PASSTHROUGH,
    })),
  whole: (value, text) => {
    if (!counted.safeParse(value).success) throw unexpectedJson(new Error('it is no count of tokens'));
    return { body: text, usage: undefined };
  },
};
