import { z } from 'zod';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { InputItem, ResolvedInput } from './input-item.ts';
import { itemId } from './output-item.ts';
import type { PlannedResponse } from './plan-response.ts';
import type { Progress } from './response-object.ts';

/** Beyond this number, the oldest are dropped. */
const MAX_RESPONSES = 1_000;
/** How long a background response is queued, and at least in progress, in milliseconds. */
const QUEUED_MS = 50;
const MIN_RUNNING_MS = 50;

export interface StoredResponse {
  readonly response: PlannedResponse;
  /** The items of its request, each with an id. */
  readonly items: readonly InputItem[];
  /** The same, after those of earlier responses. */
  readonly context: readonly InputItem[];
  /** performance.now() */
  readonly startedAtMs: number;
  /** The time it takes in the background. */
  readonly runsForMs: number;
  isCancelled: boolean;
}

/** The responses of all requests without `store: false`. */
export class StoredResponses {
  readonly #responses = new Map<string, StoredResponse>();
  readonly #items = new Map<string, InputItem>();

  /** @param tokenDelayMs the time of each token in the background */
  store(response: PlannedResponse, input: ResolvedInput, tokenDelayMs: number): StoredResponse {
    const items = input.items.map(withId);
    const earlier = input.context.slice(0, input.context.length - items.length);
    const stored: StoredResponse = {
      response,
      items,
      context: [...earlier, ...items],
      startedAtMs: performance.now(),
      runsForMs: Math.max(MIN_RUNNING_MS, response.tokens * tokenDelayMs),
      isCancelled: false,
    };
    this.#responses.set(response.id, stored);
    for (const item of [...items, ...response.output]) if (item.id) this.#items.set(item.id, item);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > MAX_RESPONSES && oldest !== undefined) this.delete(oldest);
    return stored;
  }

  find(id: string): StoredResponse | undefined {
    return this.#responses.get(id);
  }

  findItem(id: string): InputItem | undefined {
    return this.#items.get(id);
  }

  delete(id: string): void {
    const stored = this.#responses.get(id);
    for (const item of [...(stored?.items ?? []), ...(stored?.response.output ?? [])]) {
      if (item.id) this.#items.delete(item.id);
    }
    this.#responses.delete(id);
  }

  clear(): void {
    this.#responses.clear();
    this.#items.clear();
  }
}

/** Returns the progress of a response. One that does not run in the background ends at once. */
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

const page = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  order: z.enum(['asc', 'desc']).default('desc'),
  after: z.string().optional(),
});

/** Lists a page of the input items of a response. @throws ProviderError 400 */
export function listItems(items: readonly InputItem[], query: URLSearchParams): object {
  const { after, limit, order } = parseFields(page, Object.fromEntries(query));
  const ordered = order === 'asc' ? [...items] : items.toReversed();
  const before = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after);
  if (after !== undefined && before === -1) {
    throw new ProviderError(400, `Item with id '${after}' not found.`, { param: 'after' });
  }
  const rest = ordered.slice(before + 1);
  const data = rest.slice(0, limit);
  return {
    object: 'list',
    data: data.map((item) => (item.type === 'message' ? { status: 'completed', ...item } : item)),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rest.length > limit,
  };
}
