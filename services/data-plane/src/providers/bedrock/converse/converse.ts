import { badGateway } from '@model-gateway/shared/errors';
import { notAsExpected } from '../../../errors/provider-errors.ts';
import { CONVERSE_FORMAT } from '../../../translation/reasoning-format.ts';
import type { EventTranslator, JsonTranslator } from '../../answer-translators.ts';
import { convertAnthropicMessageToChat } from '../../anthropic/answer/completion.ts';
import { translatedRequest } from '../../ask-written.ts';
import type { Chat } from '../../chat.ts';
import type { Asked } from '../../dialect.ts';
import { bedrockModelPath } from '../model-names.ts';
import { ConverseStreamToChat } from './converse-events.ts';
import { convertConverseToAnthropic } from './converse-message.ts';
import { CHAT_TO_CONVERSE } from './converse-translation.ts';

export function converseRequest(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  const action = chat.body.value.streamed ? 'converse-stream' : 'converse';
  const path = bedrockModelPath(upstreamModel, action);
  return translatedRequest({ path, accept }, chat.written(upstreamModel, CHAT_TO_CONVERSE));
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
      if (message === undefined) throw notAsExpected(new Error('it is no answer of Converse'));
      if (message.failure !== undefined) throw badGateway(new Error(message.failure));
      return whole(message.body, '');
    },
  };
}
