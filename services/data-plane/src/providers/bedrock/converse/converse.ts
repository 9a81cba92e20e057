import { badGateway } from '@model-gateway/shared/errors';
import { notAsExpected } from '../../../failures/provider-failures.ts';
import { CONVERSE_FORMAT } from '../../../translation/reasoning-format.ts';
import type { EventTranslator, JsonTranslator } from '../../answer-translators.ts';
import { translatedMessage } from '../../anthropic/answer/completion.ts';
import { askWritten } from '../../ask-written.ts';
import type { Chat } from '../../chat.ts';
import type { Asked } from '../../dialect.ts';
import { modelPath } from '../model-names.ts';
import { ConverseEvents } from './converse-events.ts';
import { messageOf } from './converse-message.ts';
import { CONVERSE_FROM_COMPLETIONS } from './converse-translation.ts';

export function askConverse(chat: Chat, upstreamModel: string, accept: string): Asked | Promise<Asked> {
  const action = chat.body.value.streamed ? 'converse-stream' : 'converse';
  const path = modelPath(upstreamModel, action);
  return askWritten({ path, accept }, chat.written(upstreamModel, CONVERSE_FROM_COMPLETIONS));
}

export function converseEvents({ caller, model }: Chat): EventTranslator {
  return new ConverseEvents(caller, model.id);
}

/** A whole answer: it is a message of Messages in other words, and becomes one first. */
export function converseMessage({ caller, model }: Chat): JsonTranslator {
  const { whole } = translatedMessage(caller, model.id, CONVERSE_FORMAT);
  return {
    whole: (value) => {
      const message = messageOf(value);
      if (message === undefined) throw notAsExpected(new Error('it is no answer of Converse'));
      if (message.failure !== undefined) throw badGateway(new Error(message.failure));
      return whole(message.body, '');
    },
  };
}
