import { badGateway } from '@model-gateway/shared/errors';
import type { EventTranslator } from '../answer-translators.ts';
import type { ChatCaller } from '../chat-caller.ts';

/** Events of Messages, told to a caller in the shape of Chat Completions. */
export class CompletionEvents implements EventTranslator {
  readonly mayEnd = false;
  readonly rest = '';
  readonly #modelId: string;

  constructor(_caller: ChatCaller, modelId: string) {
    this.#modelId = modelId;
  }

  translate(_data: string): { text: string; done: boolean } {
    throw badGateway(new Error(`${this.#modelId} answers in another API`));
  }
}
