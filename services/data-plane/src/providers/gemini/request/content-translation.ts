import type { Translation } from '../../../translation/translation.ts';
import { resourceName } from '../model-path.ts';
import { contentRequest } from './content-request.ts';

export const CONTENT_FROM_COMPLETIONS: Translation = {
  name: 'content from completions',
  leavesModelOut: true,
  apply: (request, model) => contentRequest(request, model, model.upstreamModel),
};

/** What such a request would count. */
export const COUNT_FROM_COMPLETIONS: Translation = {
  name: 'counted content from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    const { request: content, ...rest } = contentRequest(request, model, model.upstreamModel);
    return {
      ...rest,
      request: { generateContentRequest: { model: resourceName(model.upstreamModel), ...content } },
    };
  },
};
