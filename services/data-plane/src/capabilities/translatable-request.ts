import { CHAT_TO_CHAT, type JsonBody, type JsonRequest } from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import { RequestTranslation, type TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';

/** A request that most providers take unchanged and some need translated. */
export class TranslatableRequest<Value> implements JsonRequest<Value> {
  readonly body: JsonBody<Value>;
  readonly #begin: () => RequestTranslation;
  #translation: RequestTranslation | undefined;

  constructor(
    exchange: AuthenticatedExchange,
    body: JsonBody<Value>,
    model: RoutedModel,
    context: TranslationContext,
  ) {
    this.body = body;
    const chat = { api: 'chat-completions', body, model, fromCaller: CHAT_TO_CHAT } as const;
    this.#begin = () => new RequestTranslation(exchange, chat, context);
  }

  get isRepeatable(): boolean {
    return this.#translation?.isRepeatable ?? true;
  }

  /** An arrow function, because endpoints destructure it. */
  readonly translate: JsonRequest<Value>['translate'] = (...to) => {
    this.#translation ??= this.#begin();
    return this.#translation.written(...to);
  };
}
