import type { Translation } from '../../../translation/translation.ts';
import { messagesRequest } from '../../anthropic/request/messages-request.ts';
import { refuseAddresses } from '../../no-addresses.ts';

/** The version of Messages that Vertex AI has. */
export const ANTHROPIC_VERSION = 'vertex-2023-10-16';

export const VERTEX_CLAUDE_FROM_COMPLETIONS: Translation = {
  name: 'claude on vertex from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    refuseAddresses(request, model.id);
    const { request: body, ...told } = messagesRequest(request, model, model.upstreamModel);
    return { ...told, request: { anthropic_version: ANTHROPIC_VERSION, ...body } };
  },
};
