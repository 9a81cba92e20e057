import { causedByRequest, unexpectedJson } from '../../failures/provider-failures.ts';
import type { ChatEndpoint } from '../../interfaces/provider-protocol.ts';
import { CONVERSE_FORMAT } from '../../translation/reasoning-format.ts';
import { convertAnthropicMessageToChat } from '../anthropic/convert-anthropic-message-to-chat.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { EVENT_STREAM } from './aws-event-stream.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { CHAT_TO_CONVERSE } from './convert-chat-to-converse.ts';
import { ConverseStreamToChat } from './convert-converse-stream-to-chat.ts';
import { convertConverseToAnthropic } from './convert-converse-to-anthropic.ts';

export const converseChat: Pick<ChatEndpoint, 'buildRequest' | 'events' | 'whole'> = {
  buildRequest: (chat, upstreamModel) => {
    const [action, accept] = chat.body.value.streamed
      ? ['converse-stream', EVENT_STREAM]
      : ['converse', JSON_TYPE];
    const path = bedrockModelPath(upstreamModel, action);
    return buildTranslatedRequest({ path, accept }, chat.translate(upstreamModel, CHAT_TO_CONVERSE));
  },
  events: ({ caller, model }) => new ConverseStreamToChat(caller, model.id),
  whole: ({ caller, model }) => {
    const { whole } = convertAnthropicMessageToChat(caller, model.id, CONVERSE_FORMAT);
    return {
      whole: (value) => {
        const message = convertConverseToAnthropic(value);
        if (message === undefined) throw unexpectedJson(new Error('it is no answer of Converse'));
        if (message.failure !== undefined) throw causedByRequest(message.failure);
        return whole(message.body, '');
      },
    };
  },
};
