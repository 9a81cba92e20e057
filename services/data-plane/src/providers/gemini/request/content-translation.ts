import type { Translation } from '../../../translation/translation.ts';
import { geminiResourceName } from '../model-path.ts';
import { convertChatToGemini } from './content-request.ts';

export const CHAT_TO_GEMINI: Translation = {
  name: 'content from completions',
  leavesModelOut: true,
  apply: (request, model) => convertChatToGemini(request, model, model.upstreamModel),
};

/** What such a request would count. */
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
