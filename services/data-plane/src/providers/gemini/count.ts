import { z } from 'zod';
import { notAsExpected } from '../../errors/provider-errors.ts';
import { translatedRequest } from '../ask-written.ts';
import type { CountEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { geminiModelPath } from './model-path.ts';
import { CHAT_TO_GEMINI_COUNT } from './request/content-translation.ts';

const counted = z.looseObject({ totalTokens: z.int().min(0) });

/** countTokens: of the request that generateContent would be sent. */
export const geminiCountTokens: CountEndpoint = {
  ask: ({ written }, upstreamModel) =>
    translatedRequest(
      { path: geminiModelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
      written(upstreamModel, CHAT_TO_GEMINI_COUNT),
    ),
  whole: (value) => {
    const { data, error } = counted.safeParse(value);
    if (data === undefined) throw notAsExpected(error);
    return { body: { input_tokens: data.totalTokens }, usage: undefined };
  },
};
