import { itemId } from './compose-items.ts';
import type { InputItem, ResolvedInput } from './input-item.ts';
import type { PlannedResponse } from './plan-response.ts';
import type { Progress } from './response-object.ts';

/** Beyond that the oldest are forgotten. */
const MAX_RESPONSES = 1_000;
/** In milliseconds: so long a background response is queued, and so long at least it is in progress then. */
const QUEUED_MS = 50;
const MIN_RUNNING_MS = 50;

export interface StoredResponse {
  readonly response: PlannedResponse;
  /** The items that it was asked with, each with an id. */
  readonly items: readonly InputItem[];
  /** The same, with those of earlier responses before them. */
  readonly context: readonly InputItem[];
  /** performance.now() */
  readonly startedAtMs: number;
  /** How long it takes in the background. */
  readonly runsForMs: number;
  isCancelled: boolean;
}

/** The responses that clients asked to keep, as all of the requests do that do not say `store: false`. */
export class StoredResponses {
  readonly #responses = new Map<string, StoredResponse>();
  readonly #items = new Map<string, InputItem>();

  /** @param tokenDelayMs what each token takes in the background */
  keep(response: PlannedResponse, input: ResolvedInput, tokenDelayMs: number): StoredResponse {
    const items = input.items.map(withId);
    const earlier = input.context.slice(0, input.context.length - items.length);
    const kept: StoredResponse = {
      response,
      items,
      context: [...earlier, ...items],
      startedAtMs: performance.now(),
      runsForMs: Math.max(MIN_RUNNING_MS, response.tokens * tokenDelayMs),
      isCancelled: false,
    };
    this.#responses.set(response.id, kept);
    for (const item of [...items, ...response.output]) if (item.id) this.#items.set(item.id, item);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > MAX_RESPONSES && oldest !== undefined) this.delete(oldest);
    return kept;
  }

  find(id: string): StoredResponse | undefined {
    return this.#responses.get(id);
  }

  findItem(id: string): InputItem | undefined {
    return this.#items.get(id);
  }

  delete(id: string): void {
    const kept = this.#responses.get(id);
    for (const item of [...(kept?.items ?? []), ...(kept?.response.output ?? [])]) {
      if (item.id) this.#items.delete(item.id);
    }
    this.#responses.delete(id);
  }

  clear(): void {
    this.#responses.clear();
    this.#items.clear();
  }
}

/** How far a response has got by now. One that is not made in the background is there at once. */
export function progressOf({ isCancelled, response, runsForMs, startedAtMs }: StoredResponse): Progress {
  if (isCancelled) return 'cancelled';
  if (response.request.background !== true) return 'ended';
  const elapsedMs = performance.now() - startedAtMs;
  if (elapsedMs < QUEUED_MS) return 'queued';
  return elapsedMs < QUEUED_MS + runsForMs ? 'in_progress' : 'ended';
}

const PREFIXES: Partial<Record<InputItem['type'], string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
  web_search_call: 'ws',
};

function withId(item: InputItem): InputItem {
  return item.id ? item : { ...item, id: itemId(PREFIXES[item.type] ?? 'item') };
}
