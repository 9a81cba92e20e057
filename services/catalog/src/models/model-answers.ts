import type { ModelObject } from '@model-gateway/shared';
import { LRUCache } from 'lru-cache';
import { type PreparedAnswer, prepareAnswer } from '../http/prepared-answer.ts';
import { filterModels, type ModelsQuery } from './filter-models.ts';
import { messagesModels, type PageQuery } from './messages-models.ts';

/** With 5,000 models the whole list has some 2.5 MB. */
const MOST_KEPT_BYTES = 32 * 1024 * 1024;

/**
 * The answers to GET /v1/models about one state of the catalog. Writing and hashing the list of thousands of
 * models takes ten times as long as sending it, so each answer is made once and kept.
 */
export class ModelAnswers {
  readonly #models: readonly ModelObject[];
  readonly #kept = new LRUCache<string, PreparedAnswer>({
    maxSize: MOST_KEPT_BYTES,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  });

  /** Makes the answer to a request without a query at once, because most requests have none. */
  constructor(models: readonly ModelObject[]) {
    this.#models = models;
    this.list({});
  }

  /** The models that match the query. @param page how Anthropic's clients ask; undefined: in OpenAI's form */
  list(query: ModelsQuery, page?: PageQuery): PreparedAnswer {
    const asked = JSON.stringify([query, page]);
    const kept = this.#kept.get(asked);
    if (kept !== undefined) return kept;
    const data = filterModels(this.#models, query);
    const content = page === undefined ? { object: 'list', data } : messagesModels(data, page);
    const answer = prepareAnswer(JSON.stringify(content));
    this.#kept.set(asked, answer);
    return answer;
  }
}
