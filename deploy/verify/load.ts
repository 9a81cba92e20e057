import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

const KINDS = ['stream', 'paid', 'free'] as const;
export type Kind = (typeof KINDS)[number];

/** How a request ended. */
export const outcomeSchema = z.object({
  kind: z.enum(KINDS),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  /** 0: there was no response. */
  status: z.number(),
  /** The code of the error body. */
  code: z.string().optional(),
  hasRetryAfter: z.boolean(),
  /** True if the response is complete; a stream with its [DONE]. */
  isWhole: z.boolean(),
  requestId: z.string().optional(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export const isWhole = ({ status, isWhole }: Outcome) => status === 200 && isWhole;
/** Allowed during a fault in the gateway: a 503 that says when to retry, never 401, 402 or 429. */
export const isWholeOrUnavailable = (outcome: Outcome) =>
  isWhole(outcome) ||
  (outcome.status === 503 &&
    outcome.hasRetryAfter &&
    (outcome.code === 'control_plane_unavailable' || outcome.code === 'overloaded'));

/** Where requests are sent. */
interface Target {
  baseUrl: string;
  /** Aborts requests in progress. */
  signal: AbortSignal;
}

export interface LoadOptions {
  target: Target;
  key: string;
  /** Number of workers per kind; each sends one request after another. */
  workers: Partial<Record<Kind, number>>;
  /** Pause after each response; default: 40 ms. */
  pauseMs?: number;
  /** Words of a stream, 100 ms apart; default: 40. */
  words?: number;
}

const REQUEST_TIMEOUT_MS = 60_000;
const DEFAULT_PAUSE_MS = 40;
const envelope = z.object({ error: z.object({ code: z.string() }) });

/** A stream of 40 words, 100 ms apart, takes four seconds. */
const STREAM = { words: 40, tokenDelayMs: 100 };

/** Sends requests until `stop`. */
export class Load implements AsyncDisposable {
  readonly outcomes: Outcome[] = [];
  readonly #options: LoadOptions;
  readonly #workers: Promise<void>[] = [];
  readonly #stopping = new AbortController();

  constructor(options: LoadOptions) {
    this.#options = options;
    for (const kind of KINDS) {
      for (let n = 0; n < (options.workers[kind] ?? 0); n++) this.#workers.push(this.#work(kind));
    }
  }

  /** Lets requests in progress end, and starts no more. */
  async stop(): Promise<Outcome[]> {
    this.#stopping.abort();
    await Promise.all(this.#workers);
    return this.outcomes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /**
   * Waits until every request that was started in the last `quietMs` was answered with 200.
   * @returns milliseconds from now to the last answer that was not; undefined: it took longer than
   *   `timeoutMs`
   */
  async untilRecovered(timeoutMs: number, quietMs = 2_000): Promise<number | undefined> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < timeoutMs && !this.#options.target.signal.aborted) {
      await wait(100);
      const recent = this.outcomes.filter(({ startedAtMs }) => startedAtMs > performance.now() - quietMs);
      const kinds = new Set(recent.map(({ kind }) => kind));
      const expected = (['paid', 'free'] as const).filter((kind) => this.#options.workers[kind]);
      if (recent.every(isWhole) && expected.every((kind) => kinds.has(kind))) {
        const lastBad = this.outcomes.findLast((outcome) => !isWhole(outcome));
        return Math.max(0, (lastBad?.endedAtMs ?? 0) - startedAt);
      }
    }
    return undefined;
  }

  async #work(kind: Kind): Promise<void> {
    const { target, key, words = STREAM.words, pauseMs = DEFAULT_PAUSE_MS } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted && !target.signal.aborted) {
      this.outcomes.push(await sendChat({ target, key, kind, words }));
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

export interface ChatOptions {
  target: Target;
  key: string;
  kind: Kind;
  /** Default: a stream of four seconds. */
  words?: number;
}

/** Sends a chat request. Never throws. */
export async function sendChat({ target, key, kind, words = STREAM.words }: ChatOptions): Promise<Outcome> {
  const outcome: Outcome = {
    kind,
    startedAtMs: performance.now(),
    endedAtMs: 0,
    status: 0,
    hasRetryAfter: false,
    isWhole: false,
  };
  try {
    const response = await fetch(`${target.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(chatBody(kind, words)),
      signal: AbortSignal.any([target.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    outcome.status = response.status;
    outcome.hasRetryAfter = response.headers.has('retry-after');
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) outcome.requestId = requestId;
    const text = await response.text();
    outcome.isWhole = !(kind === 'stream' && response.ok) || text.trimEnd().endsWith('data: [DONE]');
    if (!response.ok) outcome.code = envelope.safeParse(JSON.parse(text)).data?.error.code ?? 'no envelope';
  } catch (error) {
    outcome.code ??= describe(error);
  }
  outcome.endedAtMs = performance.now();
  return outcome;
}

function chatBody(kind: Kind, words: number) {
  const messages = [{ role: 'user', content: 'What is a gateway?' }];
  if (kind === 'free') return { model: 'simulated/chat-free', messages, max_tokens: 16 };
  if (kind === 'paid') return { model: 'simulated/chat-pro', messages, max_tokens: 16 };
  return {
    model: 'simulated/chat-pro',
    messages,
    stream: true,
    max_tokens: 4096,
    simulate: { content: 'word '.repeat(words).trim(), token_delay_ms: STREAM.tokenDelayMs },
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && error.code !== undefined ? String(error.code) : '';
  return error.cause === undefined ? code || error.name : describe(error.cause);
}

/** `37 × 200, 2 × 503 overloaded, 1 × 200 cut`, most frequent first. */
export function summary(outcomes: readonly Outcome[]): string {
  const kinds = Map.groupBy(outcomes, ({ status, code, isWhole }) =>
    [status || 'no answer', code, isWhole || status !== 200 ? '' : 'cut'].filter(Boolean).join(' '),
  );
  return [...kinds]
    .map(([what, list]) => [list.length, what] as const)
    .sort(([one], [other]) => other - one)
    .map(([count, what]) => `${count} × ${what}`)
    .join(', ');
}
