import type { ModelObject } from '@model-gateway/shared';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { PreparedAnswer } from '../http/prepared-answer.ts';
import { filterModels, parseModelsQuery } from './filter-models.ts';
import { isMessagesClient } from './messages-client.ts';
import { messagesModels, parsePageQuery } from './messages-models.ts';

/** With 5,000 models the list has 2.5 MB, and a twentieth of that compressed. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

type ModelsRequest = Pick<Request, 'url' | 'query' | 'headers'>;

/**
 * The responses of GET /v1/models for one state of the catalog. Serializing and hashing the list of thousands
 * of models takes ten times as long as sending it, so each response is made once and cached.
 */
export class ModelAnswers {
  readonly #models: readonly ModelObject[];
  /** The whole list, which nearly all requests get, so it is ready before the first one. */
  readonly #whole: PreparedAnswer;
  readonly #cache = new LRUCache<string, PreparedAnswer>({
    maxSize: MAX_CACHED_BYTES,
    // Counted twice, because a response may also cache its compressed form.
    sizeCalculation: ({ body }, key) => 2 * body.length + key.length,
  });

  constructor(models: readonly ModelObject[]) {
    this.#models = models;
    this.#whole = new PreparedAnswer(JSON.stringify({ object: 'list', data: models }));
  }

  /** @throws GatewayError 400, which names the parameter that is wrong */
  answerTo(req: ModelsRequest): PreparedAnswer {
    const isPage = isMessagesClient(req);
    if (!isPage && !req.url.includes('?')) return this.#whole;
    const cacheKey = `${isPage} ${req.url}`;
    const cached = this.#cache.get(cacheKey);
    if (cached !== undefined) return cached;
    const data = filterModels(this.#models, parseModelsQuery(req.query));
    const content = isPage ? messagesModels(data, parsePageQuery(req.query)) : { object: 'list', data };
    const answer = new PreparedAnswer(JSON.stringify(content));
    this.#cache.set(cacheKey, answer);
    return answer;
  }
}
