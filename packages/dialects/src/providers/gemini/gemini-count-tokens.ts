import { z } from 'zod';
import type { CountEndpoint } from '../../contract/provider-protocol.ts';
import { notAsExpected } from '../../failures/provider-failures.ts';
import { translatedRequest } from '../shared/translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { CHAT_TO_GEMINI_COUNT } from './chat-to-gemini.ts';
import { geminiModelPath } from './gemini-model-path.ts';

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
