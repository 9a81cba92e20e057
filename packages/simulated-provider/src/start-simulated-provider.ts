import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createApp } from './app.ts';
import { type Fault, faultSchema } from './faults/fault-schema.ts';
import { ApiKeys } from './http/api-keys.ts';
import type { ProviderState } from './http/serve-exchange.ts';
import { PromptCache } from './messages/prompt-cache.ts';
import { type RecordedRequest, RequestLog, type RequestPredicate } from './request-log.ts';
import { StoredResponses } from './responses/stored-responses.ts';
import { loadTokenizer } from './text/tokenizer.ts';
import { IssuedTokens } from './tokens/issued-tokens.ts';

const DEFAULT_TOKEN_DELAY_MS = 30;
const DEFAULT_KEPT_REQUESTS = 10_000;
/** So long that this side never closes a connection which its client is about to use again. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;

export interface SimulatedProviderOptions {
  /** Default 0: the operating system chooses. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** When set, requests must send it, or one of these: where their API has its key, such as `x-api-key`. */
  apiKey?: string | readonly string[] | undefined;
  /** Pause before each token of a stream, in milliseconds; default 30, about as fast as one reads. */
  tokenDelayMs?: number;
  /** How many requests are remembered; default 10,000, then the oldest are forgotten. */
  keepRequests?: number;
}

export interface SimulatedProvider {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  /** All requests so far, oldest first; a request is listed as soon as its body has arrived. */
  readonly requests: readonly RecordedRequest[];
  /** The first request that matches, whether it has arrived already or is yet to come. */
  waitForRequest(predicate?: RequestPredicate): Promise<RecordedRequest>;
  /** Queues faults, one for each coming request. They win over the request's own `simulate`, knob by knob. */
  script(...faults: Fault[]): void;
  /** From now on requests with this key are refused, as its API refuses a key that it does not know. */
  revokeKey(key: string): void;
  /** Ends that. */
  restoreKey(key: string): void;
  /** Sets the fault of every later request with this key; `{}`: none. */
  setFaultOfKey(key: string, fault: Fault): void;
  /** The access tokens that its token endpoints issue, and what those do next. */
  readonly tokens: IssuedTokens;
  /**
   * Forgets all requests, queued faults, what has become of keys, cached prompts and responses that were
   * kept.
   */
  clear(): void;
  /** Stops listening and cuts all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a provider that speaks the APIs of OpenAI and of Anthropic, and needs no network and no account.
 * @throws when the port is taken
 */
export async function startSimulatedProvider(
  options: SimulatedProviderOptions = {},
): Promise<SimulatedProvider> {
  const log = new RequestLog(options.keepRequests ?? DEFAULT_KEPT_REQUESTS);
  const scripted: Fault[] = [];
  const tokenDelayMs = options.tokenDelayMs ?? DEFAULT_TOKEN_DELAY_MS;
  const promptCache = new PromptCache();
  const responses = new StoredResponses();
  const apiKeys = new ApiKeys([options.apiKey ?? []].flat());
  const tokens = new IssuedTokens();
  const state: ProviderState = {
    apiKeys,
    tokenDelayMs,
    promptCache,
    responses,
    tokens,
    log,
    scripted,
  };
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, createApp(state));
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  // Loaded before the first request needs it. If that fails, the request will report it.
  setImmediate(() => void loadTokenizer().catch(() => undefined));

  const close = async () => {
    log.close();
    await stop(server);
  };
  return {
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}/v1`,
    requests: log.requests,
    waitForRequest: (predicate) => log.waitFor(predicate),
    script: (...faults) => void scripted.push(...faults.map((fault) => faultSchema.parse(fault))),
    revokeKey: (key) => apiKeys.revoke(key),
    restoreKey: (key) => apiKeys.restore(key),
    setFaultOfKey: (key, fault) => apiKeys.setFault(key, fault),
    tokens,
    clear: () => {
      apiKeys.clear();
      log.clear();
      promptCache.clear();
      responses.clear();
      scripted.length = 0;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return address.port;
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
