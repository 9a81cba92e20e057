import {
  type ChatApi,
  type JsonBody,
  mayHoldCarriedState,
  type PassthroughBody,
  type Translation,
} from '@model-gateway/dialects';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { JsonQueue } from '../json/json-queue.ts';
import { validateJson } from '../json/validate-json.ts';
import { RequestTranslation, type TranslationContext } from './request-translation.ts';

interface PassthroughOptions<Value> {
  api: ChatApi;
  body: JsonBody<Value>;
  model: RoutedModel;
  schema: z.ZodType<Value>;
  /** Removes the state that the gateway carries in it for providers of other APIs. */
  withoutCarriedState: Translation;
  /** Also removes what only the API's own maker accepts; left out: nothing. */
  forClouds?: Translation;
}

export interface PassthroughContext extends TranslationContext {
  jsonQueue: Pick<JsonQueue, 'take' | 'translate'>;
}

/**
 * The body for providers of the caller's own API: the original bytes, rewritten once if they carry state that
 * only another provider can read.
 */
export class PassthroughRequest<Value> {
  readonly #exchange: AuthenticatedExchange;
  readonly #options: PassthroughOptions<Value>;
  readonly #context: PassthroughContext;
  #translation: RequestTranslation | undefined;
  readonly #rewritten = new Map<Translation, Promise<PassthroughBody<Value>>>();

  constructor(
    exchange: AuthenticatedExchange,
    options: PassthroughOptions<Value>,
    context: PassthroughContext,
  ) {
    this.#exchange = exchange;
    this.#options = options;
    this.#context = context;
  }

  get isRepeatable(): boolean {
    return this.#translation?.isRepeatable ?? true;
  }

  body(receiver: 'maker' | 'cloud' = 'maker'): PassthroughBody<Value> | Promise<PassthroughBody<Value>> {
    const { body, forClouds, withoutCarriedState } = this.#options;
    const change = receiver === 'cloud' ? forClouds : undefined;
    const known = this.#rewritten.get(change ?? withoutCarriedState);
    if (known !== undefined) return known;
    if (change === undefined && !mayHoldCarriedState(body.chunks)) return { body, ignored: [] };
    const rewritten = this.#rewrite(change ?? withoutCarriedState);
    this.#rewritten.set(change ?? withoutCarriedState, rewritten);
    return rewritten;
  }

  abandon(): void {
    this.#translation?.abandon();
    this.#rewritten.clear();
  }

  async #rewrite(change: Translation): Promise<PassthroughBody<Value>> {
    const { api, body, model, schema } = this.#options;
    const chat = { api, body, model, fromCaller: change };
    this.#translation = new RequestTranslation(this.#exchange, chat, this.#context);
    const { bytes, ignored } = await this.#translation.writeBytes(model.id);
    // False alarm: the marker only occurs in a text.
    if (ignored.length === 0 && body.chunks.length > 0) return { body, ignored };
    const { key } = this.#exchange.record;
    if (!body.isLarge) {
      const { members, size } = validateJson([bytes], schema);
      return { body: { ...body, members, size, chunks: [bytes] }, ignored };
    }
    const { chunks, members, size } = await this.#context.jsonQueue.take({
      owner: key,
      signal: this.#exchange.stop.signal,
      chunks: [bytes],
      schema,
      check: () => undefined,
    });
    return { body: { ...body, members, size, chunks }, ignored };
  }
}
