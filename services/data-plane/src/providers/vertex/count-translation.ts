import type { Translation } from '../../translation/translation.ts';
import { contentRequest } from '../gemini/request/content-request.ts';

/** What generateContent would be sent, as countTokens of Vertex AI takes it: without the choice of a tool. */
export const COUNT_FROM_COMPLETIONS: Translation = {
  name: 'counted content on vertex from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    const { request: content, ...told } = contentRequest(request, model, model.upstreamModel);
    const { toolConfig: _countsNothing, ...counted } = content;
    return { ...told, request: counted };
  },
};
