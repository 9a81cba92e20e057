import {
  AUTHENTICATED_HEADER,
  INTERNAL_TOKEN_HEADER,
  type Logger,
  PRICE_LIST_HEADER,
} from '@model-gateway/service-kit';
import { modelList } from '@model-gateway/shared';
import { LRUCache } from 'lru-cache';
import type { ModelsResponse } from '../../wire/status.ts';
import { SharedRead } from './shared-read.ts';

export interface ModelsByPriceListOptions {
  url: string;
  /** Lets the catalog service trust the price list that this server names. */
  internalToken: string;
  log: Logger;
}

const MAX_CACHED_LISTS = 100;
const DEFAULT = '';

/** Reads the models with the prices of price lists. */
export class ModelsByPriceList {
  readonly #options: ModelsByPriceListOptions;
  readonly #reads = new LRUCache<string, SharedRead<ModelsResponse>>({ max: MAX_CACHED_LISTS });

  constructor(options: ModelsByPriceListOptions) {
    this.#options = options;
  }

  /**
   * @param priceListId left out: the default one
   * @throws DashboardError service_unavailable if no read has ever succeeded
   */
  async read(priceListId = DEFAULT): Promise<ModelsResponse> {
    const { value } = await this.#readOf(priceListId).read();
    return value;
  }

  #readOf(priceListId: string): SharedRead<ModelsResponse> {
    let read = this.#reads.get(priceListId);
    if (read === undefined) {
      const { internalToken, log, url } = this.#options;
      const headers = priceListId === DEFAULT ? {} : headersFor(priceListId, internalToken);
      read = new SharedRead({ url, headers, schema: modelList, log });
      this.#reads.set(priceListId, read);
    }
    return read;
  }
}

function headersFor(priceListId: string, internalToken: string): Record<string, string> {
  return {
    [INTERNAL_TOKEN_HEADER]: internalToken,
    [AUTHENTICATED_HEADER]: 'true',
    [PRICE_LIST_HEADER]: priceListId,
  };
}
