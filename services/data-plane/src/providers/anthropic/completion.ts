import { badGateway } from '@model-gateway/shared/errors';
import type { JsonTranslator } from '../answer-translators.ts';
import type { ChatCaller } from '../chat-caller.ts';

/** A whole answer of Messages, told to a caller in the shape of Chat Completions. */
export function translatedMessage(_caller: ChatCaller, modelId: string): JsonTranslator {
  return {
    whole: () => {
      throw badGateway(new Error(`${modelId} answers in another API`));
    },
  };
}
