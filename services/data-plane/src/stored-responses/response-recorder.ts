import { type JsonObject, writeExactJson } from '@model-gateway/dialects';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { modelOf } from '../request-record.ts';
import { MAX_STORED_BYTES } from './held-input.ts';
import { namedItems } from './output-items.ts';
import { type StoredResponse, sizeOf } from './stored-response.ts';
import type { StoredResponseReports } from './stored-response-reports.ts';
import type { StoredResponseStore } from './stored-response-store.ts';

const MAX_ITEMS = 1_000;

export interface RecorderContext {
  storedResponses: {
    store: Pick<StoredResponseStore, 'save'>;
    reports: Pick<StoredResponseReports, 'stored'>;
  };
  bodyBudget: MemoryBudget;
}

/** Stores the response of one translated request before its caller sees the end. */
export class ResponseRecorder {
  readonly #exchange: AuthenticatedExchange;
  readonly #context: RecorderContext;
  readonly #input: readonly Buffer[];
  #response: StoredResponse | undefined;

  /** @param input JSON of the array of input items */
  constructor(exchange: AuthenticatedExchange, context: RecorderContext, input: readonly Buffer[]) {
    this.#exchange = exchange;
    this.#context = context;
    this.#input = input;
  }

  /**
   * Takes a response that ended as `completed` or `incomplete`.
   * @param response JSON for the caller
   * @param output JSON of each item, with everything that a later turn needs
   * @returns false if it cannot be stored
   */
  ended(id: string, response: string, output: readonly string[]): boolean {
    const items = output.map((json) => Buffer.from(json));
    const ended = {
      id,
      modelId: modelOf(this.#exchange.record)?.id ?? '',
      input: this.#input,
      output: Buffer.from(`[${output.join(',')}]`),
      items: namedItems(items),
      response: Buffer.from(response),
    };
    if (sizeOf([...ended.input, ended.output, ended.response]) > MAX_STORED_BYTES || items.length > MAX_ITEMS)
      return this.#isTooLarge();
    this.#response = ended;
    return true;
  }

  /** Stores what guardrails left of the response: nobody can read the rest later. */
  replaced(response: JsonObject): void {
    const output = Array.isArray(response.output) ? response.output : [];
    const ended = this.#response;
    if (ended === undefined) return;
    this.#response = undefined;
    this.ended(ended.id, writeExactJson(response), output.map(writeExactJson));
  }

  /** Stores the response. Never rejects. */
  async save(): Promise<void> {
    const ended = this.#response;
    const { key, id } = this.#exchange.record;
    if (ended === undefined) return;
    const { bodyBudget, storedResponses } = this.#context;
    const claim = claimMemory(this.#exchange, bodyBudget);
    // Plain and encrypted copies.
    const bytes = 2 * sizeOf([...ended.input, ended.output, ended.output, ended.response]);
    if (!claim.tryTake(bytes)) return storedResponses.reports.stored('no_room', id);
    await storedResponses.store.save(key.accountId, ended, id);
    claim.giveBack();
  }

  #isTooLarge(): false {
    this.#context.storedResponses.reports.stored('too_large', this.#exchange.record.id);
    return false;
  }
}
