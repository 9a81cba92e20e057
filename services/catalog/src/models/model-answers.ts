import type { ModelObject } from '@model-gateway/shared';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { PreparedAnswer } from '../http/prepared-answer.ts';
import { filterModels, parseModelsQuery } from './filter-models.ts';
import { isMessagesClient } from './messages-client.ts';
import { messagesModels, parsePageQuery } from './messages-models.ts';

/** With 5,000 models the list has 2.5 MB, and a twentieth of that compressed. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

type Asked = Pick<Request, 'url' | 'query' | 'headers'>;

/**
 * The answers to GET /v1/models about one state of the catalog. Writing and hashing the list of thousands of
 * models takes ten times as long as sending it, so each answer is made once and kept.
 */
export class ModelAnswers {
  readonly #models: readonly ModelObject[];
  /** Nearly everybody asks for it, so it is ready before the first request. */
  readonly #whole: PreparedAnswer;
  readonly #kept = new LRUCache<string, PreparedAnswer>({
    maxSize: MAX_CACHED_BYTES,
    // Compressed, it may be there a second time.
    sizeCalculation: ({ body }, key) => 2 * body.length + key.length,
  });

  constructor(models: readonly ModelObject[]) {
    this.#models = models;
    this.#whole = new PreparedAnswer(JSON.stringify({ object: 'list', data: models }));
  }

  /** @throws GatewayError 400, which names the parameter that is wrong */
  to(req: Asked): PreparedAnswer {
    const isPage = isMessagesClient(req);
    if (!isPage && !req.url.includes('?')) return this.#whole;
    const asked = `${isPage} ${req.url}`;
    const kept = this.#kept.get(asked);
    if (kept !== undefined) return kept;
    const data = filterModels(this.#models, parseModelsQuery(req.query));
    const content = isPage ? messagesModels(data, parsePageQuery(req.query)) : { object: 'list', data };
    const answer = new PreparedAnswer(JSON.stringify(content));
    this.#kept.set(asked, answer);
    return answer;
  }
}
