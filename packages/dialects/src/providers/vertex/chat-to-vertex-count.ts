import type { Translation } from '../../translation/translation.ts';
import { convertChatToGemini } from '../gemini/convert-chat-to-gemini.ts';

/** Builds the request for countTokens of Vertex AI: generateContent without the tool choice. */
export const CHAT_TO_VERTEX_COUNT: Translation = {
  name: 'counted content on vertex from completions',
  omitsModel: true,
  apply: (request, model) => {
    const { request: content, ...rest } = convertChatToGemini(request, model, model.upstreamModel);
    const { toolConfig: _toolConfig, ...counted } = content;
    return { ...rest, request: counted };
  },
};
