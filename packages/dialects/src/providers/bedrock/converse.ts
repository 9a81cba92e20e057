import { causedByRequest, unexpectedJson } from '../../failures/provider-failures.ts';
import type { Chat } from '../../interfaces/chat.ts';
import type { Asked } from '../../interfaces/provider-protocol.ts';
import type { EventTranslator, JsonTranslator } from '../../interfaces/response-translators.ts';
import { CONVERSE_FORMAT } from '../../translation/reasoning-format.ts';
import { convertAnthropicMessageToChat } from '../anthropic/convert-anthropic-message-to-chat.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { bedrockModelPath } from './bedrock-model-names.ts';
import { CHAT_TO_CONVERSE } from './chat-to-converse.ts';
import { ConverseStreamToChat } from './convert-converse-stream-to-chat.ts';
import { convertConverseToAnthropic } from './convert-converse-to-anthropic.ts';

export function converseRequest(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  const action = chat.body.value.streamed ? 'converse-stream' : 'converse';
  const path = bedrockModelPath(upstreamModel, action);
  return buildTranslatedRequest({ path, accept }, chat.written(upstreamModel, CHAT_TO_CONVERSE));
}

export function converseStream({ caller, model }: Chat): EventTranslator {
  return new ConverseStreamToChat(caller, model.id);
}

/** A whole answer: it is a message of Messages in other words, and becomes one first. */
export function converseMessage({ caller, model }: Chat): JsonTranslator {
  const { whole } = convertAnthropicMessageToChat(caller, model.id, CONVERSE_FORMAT);
  return {
    whole: (value) => {
      const message = convertConverseToAnthropic(value);
      if (message === undefined) throw unexpectedJson(new Error('it is no answer of Converse'));
      if (message.failure !== undefined) throw causedByRequest(message.failure);
      return whole(message.body, '');
    },
  };
}
