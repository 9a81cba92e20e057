import type { Translation } from '../../translation/translation.ts';
import { convertChatToGemini } from './convert-chat-to-gemini.ts';
import { geminiResourceName } from './gemini-model-path.ts';

export const CHAT_TO_GEMINI: Translation = {
  name: 'content from completions',
  leavesModelOut: true,
  apply: (request, model) => convertChatToGemini(request, model, model.upstreamModel),
};

/** Builds the request for countTokens. */
export const CHAT_TO_GEMINI_COUNT: Translation = {
  name: 'counted content from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    const { request: content, ...rest } = convertChatToGemini(request, model, model.upstreamModel);
    return {
      ...rest,
      request: { generateContentRequest: { model: geminiResourceName(model.upstreamModel), ...content } },
    };
  },
};
