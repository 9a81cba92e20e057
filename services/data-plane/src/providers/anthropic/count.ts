import { z } from 'zod';
import { notAsExpected } from '../../failures/provider-failures.ts';
import { askPassed } from '../ask-passed.ts';
import type { CountEndpoint } from '../dialect.ts';
import { JSON_TYPE, jsonProviderBody } from '../json-body.ts';

const counted = z.looseObject({ input_tokens: z.int().min(0) });

/** POST /messages/count_tokens: request and answer pass as they came. */
export const count: CountEndpoint = {
  ask: ({ beta, passed }, upstreamModel) =>
    askPassed(passed(), (body) => ({
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
