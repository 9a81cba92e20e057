import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory } from '../memory/claim-memory.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { modelOf } from '../request-record.ts';
import { MAX_STORED_BYTES } from './held-input.ts';
import { namedItems } from './output-items.ts';
import { type StoredResponse, sizeOf } from './stored-response.ts';
import type { StoredResponseReports } from './stored-response-reports.ts';
import type { StoredResponseStore } from './stored-response-store.ts';

const MOST_ITEMS = 1_000;

export interface RecorderContext {
  storedResponses: { store: Pick<StoredResponseStore, 'keep'>; reports: Pick<StoredResponseReports, 'kept'> };
  bodyBudget: MemoryBudget;
}

/** Keeps the answer of one translated request, before its caller sees that it has ended. */
export class ResponseRecorder {
  readonly #exchange: AuthenticatedExchange;
  readonly #context: RecorderContext;
  readonly #input: readonly Buffer[];
  #kept: StoredResponse | undefined;

  /** @param input what the model is asked with: JSON of an array of items */
  constructor(exchange: AuthenticatedExchange, context: RecorderContext, input: readonly Buffer[]) {
    this.#exchange = exchange;
    this.#context = context;
    this.#input = input;
  }

  /**
   * Told of an answer that has ended as `completed` or `incomplete`.
   * @param response JSON, as the caller is told when it is kept
   * @param output JSON of each of its items, with all that a later turn needs
   * @returns false: it cannot be kept
   */
  ended(id: string, response: string, output: readonly string[]): boolean {
    const items = output.map((json) => Buffer.from(json));
    const kept = {
      id,
      modelId: modelOf(this.#exchange.record)?.id ?? '',
      input: this.#input,
      output: Buffer.from(`[${output.join(',')}]`),
      items: namedItems(items),
      response: Buffer.from(response),
    };
    if (sizeOf([...kept.input, kept.output, kept.response]) > MAX_STORED_BYTES || items.length > MOST_ITEMS)
      return this.#isTooLarge();
    this.#kept = kept;
    return true;
  }

  /** Resolves when it is kept, or cannot be. */
  async keep(): Promise<void> {
    const kept = this.#kept;
    const { key, id } = this.#exchange.record;
    if (kept === undefined) return;
    const { bodyBudget, storedResponses } = this.#context;
    const claim = claimMemory(this.#exchange, bodyBudget);
    // Once as it is, and once encrypted on its way.
    const bytes = 2 * sizeOf([...kept.input, kept.output, kept.output, kept.response]);
    if (!claim.tryTake(bytes)) return storedResponses.reports.kept('no_room', id);
    await storedResponses.store.keep(key.accountId, kept, id);
    claim.giveBack();
  }

  #isTooLarge(): false {
    this.#context.storedResponses.reports.kept('too_large', this.#exchange.record.id);
    return false;
  }
}
