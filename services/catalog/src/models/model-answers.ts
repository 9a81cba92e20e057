import { PreparedAnswer } from '@model-gateway/api-reference';
import type { ModelObject, PriceLists, PriceListVersion } from '@model-gateway/shared';
import { priceListUnknown } from '@model-gateway/shared/errors';
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
/** Bounds the versions of price lists whose models are cached: 5,000 models take 5 MB in each. */
const MAX_PRICED = 10;

interface ModelList {
  models: readonly ModelObject[];
  /** Virtual ones among them, by id and by alias. */
  byName: ReadonlyMap<string, ModelObject>;
}

type ModelsRequest = Pick<Request, 'url' | 'query' | 'headers'>;

/** Decides which models a caller sees, and their prices. */
export interface ModelsFor {
  /** JSON of `listingRules`; undefined: all models. */
  rules?: string | undefined;
  /** Undefined: the default one. */
  priceListId?: string | undefined;
}

/**
 * The responses of GET /v1/models for one state of the catalog. Serializing and hashing the list of thousands
 * of models takes ten times as long as sending it, so each response is made once and cached.
 */
export class ModelAnswers {
  readonly #catalogAt: (list: PriceListVersion | undefined) => CatalogModels;
  readonly #priceLists: PriceLists;
  /** By version of the price list; 0: the prices of the catalog. */
  readonly #priced = new LRUCache<number, { catalog: CatalogModels; all: ModelList }>({ max: MAX_PRICED });
  readonly #allowed = new LRUCache<string, ModelList>({
    maxSize: MAX_LISTS_BYTES,
    sizeCalculation: ({ models }, rules) => rules.length + MODEL_BYTES * models.length,
  });
  /** The whole list, which nearly all requests get, so it is ready before the first one. */
  #whole: { version: number; answer: PreparedAnswer } | undefined;
  readonly #cache = new LRUCache<string, PreparedAnswer>({
    maxSize: MAX_CACHED_BYTES,
    // Counted twice, because a response may also cache its compressed form.
    sizeCalculation: ({ body }, key) => 2 * body.length + key.length,
  });

  /** @param catalogAt returns the models with the prices of a price list; undefined: of the catalog */
  constructor(catalogAt: (list: PriceListVersion | undefined) => CatalogModels, priceLists: PriceLists) {
    this.#catalogAt = catalogAt;
    this.#priceLists = priceLists;
    const list = priceLists.inForce(undefined, Date.now());
    if (list !== 'unknown') this.#wholeAt(list);
  }

  /**
   * Returns the list of models for a request.
   * @throws GatewayError 400, which names the parameter that is wrong; 503 for an unknown price list
   */
  answerTo(req: ModelsRequest, { priceListId, rules }: ModelsFor = {}): PreparedAnswer {
    const isPage = isMessagesClient(req);
    const list = this.#inForce(priceListId);
    const isWhole = !isPage && rules === undefined && !req.url.includes('?');
    if (isWhole && priceListId === undefined) return this.#wholeAt(list);
    const cacheKey = `${list?.number} ${isPage} ${req.url} ${rules}`;
    const cached = this.#cache.get(cacheKey);
    if (cached !== undefined) return cached;
    const data = filterModels(this.#listFor(list, rules).models, parseModelsQuery(req.query));
    const content = isPage ? messagesModels(data, parsePageQuery(req.query)) : { object: 'list', data };
    const answer = new PreparedAnswer(JSON.stringify(content));
    this.#cache.set(cacheKey, answer);
    return answer;
  }

  /** Returns the model with an id or alias. @throws GatewayError 503 for an unknown price list */
  find(name: string, { priceListId, rules }: ModelsFor = {}): ModelObject | undefined {
    return this.#listFor(this.#inForce(priceListId), rules).byName.get(name);
  }

  /** @throws GatewayError 503 */
  #inForce(priceListId: string | undefined): PriceListVersion | undefined {
    const list = this.#priceLists.inForce(priceListId, Date.now());
    if (list === 'unknown') throw priceListUnknown();
    return list;
  }

  #wholeAt(list: PriceListVersion | undefined): PreparedAnswer {
    const version = list?.number ?? 0;
    if (this.#whole?.version !== version) {
      const { models } = this.#pricedAt(list).all;
      const answer = new PreparedAnswer(JSON.stringify({ object: 'list', data: models }));
      this.#whole = { version, answer };
    }
    return this.#whole.answer;
  }

  #listFor(list: PriceListVersion | undefined, rules: string | undefined): ModelList {
    const { all, catalog } = this.#pricedAt(list);
    if (rules === undefined) return all;
    const key = `${list?.number} ${rules}`;
    let allowed = this.#allowed.get(key);
    if (allowed === undefined) {
      allowed = listOf(allowedModels(catalog, listingRules.parse(JSON.parse(rules))));
      this.#allowed.set(key, allowed);
    }
    return allowed;
  }

  #pricedAt(list: PriceListVersion | undefined) {
    const version = list?.number ?? 0;
    let priced = this.#priced.get(version);
    if (priced === undefined) {
      const catalog = this.#catalogAt(list);
      priced = { catalog, all: listOf(allModels(catalog)) };
      this.#priced.set(version, priced);
    }
    return priced;
  }
}

function listOf(models: readonly ModelObject[]): ModelList {
  const byName = new Map([
    ...models.flatMap((model) => (model.aliases ?? []).map((alias) => [alias, model] as const)),
    ...models.map((model) => [model.id, model] as const),
  ]);
  return { models, byName };
}
