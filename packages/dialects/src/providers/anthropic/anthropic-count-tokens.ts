import { z } from 'zod';
import type { CountEndpoint } from '../../contract/provider-protocol.ts';
import { notAsExpected } from '../../failures/provider-failures.ts';
import { passthroughRequest } from '../shared/passthrough-request.ts';
import { JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';

const counted = z.looseObject({ input_tokens: z.int().min(0) });

/** POST /messages/count_tokens: request and answer pass as they came. */
export const anthropicCountTokens: CountEndpoint = {
  ask: ({ beta, passed }, upstreamModel) =>
    passthroughRequest(passed(), (body) => ({
      path: beta ? '/messages/count_tokens?beta=true' : '/messages/count_tokens',
      accept: JSON_TYPE,
      body: jsonProviderBody(body, upstreamModel),
      isOwnApi: true,
    })),
  whole: (value, text) => {
    if (!counted.safeParse(value).success) throw notAsExpected(new Error('it is no count of tokens'));
    return { body: text, usage: undefined };
  },
};
