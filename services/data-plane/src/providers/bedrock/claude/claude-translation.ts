import type { Translation } from '../../../translation/translation.ts';
import { messagesRequest } from '../../anthropic/request/messages-request.ts';
import { refuseAddresses } from '../../no-addresses.ts';

/** The version of Messages that Bedrock has. */
export const ANTHROPIC_VERSION = 'bedrock-2023-05-31';

export const CLAUDE_FROM_COMPLETIONS: Translation = {
  name: 'claude on bedrock from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    refuseAddresses(request, model.id);
    const { request: translated, ...told } = messagesRequest(request, model, model.upstreamModel);
    const { stream: _inPath, ...body } = translated;
    return { ...told, request: { anthropic_version: ANTHROPIC_VERSION, ...body } };
  },
};
