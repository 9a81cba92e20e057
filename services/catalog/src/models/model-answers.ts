import { PreparedAnswer } from '@model-gateway/api-reference';
import type { ModelObject } from '@model-gateway/shared';
import { listingRules } from '@model-gateway/shared/rules';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { allModels, allowedModels, type CatalogModels } from './allowed-models.ts';
import { filterModels, parseModelsQuery } from './filter-models.ts';
import { isMessagesClient } from './messages-client.ts';
import { messagesModels, parsePageQuery } from './messages-models.ts';

/** With 5,000 models the list has 2.5 MB, and a twentieth of that compressed. */
const MAX_CACHED_BYTES = 32 * 1024 * 1024;

/** Bounds the lists of rule sets: a model takes 60 bytes in each, and rules may have 100 kB and more. */
const MAX_LISTS_BYTES = 32 * 1024 * 1024;
const MODEL_BYTES = 60;

interface ModelList {
  models: readonly ModelObject[];
  /** Virtual ones among them, by id and by alias. */
  byName: ReadonlyMap<string, ModelObject>;
}

type ModelsRequest = Pick<Request, 'url' | 'query' | 'headers'>;

/**
 * The responses of GET /v1/models for one state of the catalog. Serializing and hashing the list of thousands
 * of models takes ten times as long as sending it, so each response is made once and cached.
 */
export class ModelAnswers {
  readonly #catalog: CatalogModels;
  readonly #all: ModelList;
  readonly #allowed = new LRUCache<string, ModelList>({
    maxSize: MAX_LISTS_BYTES,
    sizeCalculation: ({ models }, rules) => rules.length + MODEL_BYTES * models.length,
  });
  /** The whole list, which nearly all requests get, so it is ready before the first one. */
  readonly #whole: PreparedAnswer;
  readonly #cache = new LRUCache<string, PreparedAnswer>({
    maxSize: MAX_CACHED_BYTES,
    // Counted twice, because a response may also cache its compressed form.
    sizeCalculation: ({ body }, key) => 2 * body.length + key.length,
  });

  constructor(catalog: CatalogModels) {
    this.#catalog = catalog;
    this.#all = listOf(allModels(catalog));
    this.#whole = new PreparedAnswer(JSON.stringify({ object: 'list', data: this.#all.models }));
  }

  /**
   * Returns the list of models for a request.
   * @param rules JSON of `listingRules`; undefined: all models
   * @throws GatewayError 400, which names the parameter that is wrong
   */
  answerTo(req: ModelsRequest, rules?: string): PreparedAnswer {
    const isPage = isMessagesClient(req);
    if (!isPage && rules === undefined && !req.url.includes('?')) return this.#whole;
    const cacheKey = `${isPage} ${req.url} ${rules}`;
    const cached = this.#cache.get(cacheKey);
    if (cached !== undefined) return cached;
    const data = filterModels(this.#listFor(rules).models, parseModelsQuery(req.query));
    const content = isPage ? messagesModels(data, parsePageQuery(req.query)) : { object: 'list', data };
    const answer = new PreparedAnswer(JSON.stringify(content));
    this.#cache.set(cacheKey, answer);
    return answer;
  }
  /** Returns the model with an id or alias. @param rules as in `answerTo` */
  find(name: string, rules?: string): ModelObject | undefined {
    return this.#listFor(rules).byName.get(name);
  }

  #listFor(rules: string | undefined): ModelList {
    if (rules === undefined) return this.#all;
    let list = this.#allowed.get(rules);
    if (list === undefined) {
      list = listOf(allowedModels(this.#catalog, listingRules.parse(JSON.parse(rules))));
      this.#allowed.set(rules, list);
    }
    return list;
  }
}

function listOf(models: readonly ModelObject[]): ModelList {
  const byName = new Map([
    ...models.flatMap((model) => (model.aliases ?? []).map((alias) => [alias, model] as const)),
    ...models.map((model) => [model.id, model] as const),
  ]);
  return { models, byName };
}
