import { z } from 'zod';
import { unexpectedJson } from '../../failures/provider-failures.ts';
import type { CountEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { CHAT_TO_GEMINI_COUNT } from './convert-chat-to-gemini.ts';
import { geminiModelPath } from './gemini-model-path.ts';

const counted = z.looseObject({ totalTokens: z.int().min(0) });

/** countTokens takes the request of generateContent. */
export const geminiCountTokens: CountEndpoint = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      { path: geminiModelPath(upstreamModel, 'countTokens'), accept: JSON_TYPE },
      translate(upstreamModel, CHAT_TO_GEMINI_COUNT),
    ),
  whole: (value) => {
    const { data, error } = counted.safeParse(value);
    if (data === undefined) throw unexpectedJson(error);
    return { body: { input_tokens: data.totalTokens }, usage: undefined };
  },
};
