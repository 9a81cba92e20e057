import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createApp } from './app.ts';
import { BillLedger, type PricedRequest } from './billing/bill-ledger.ts';
import type { PriceTable } from './billing/price-table.ts';
import { PromptCache } from './cache/prompt-cache.ts';
import { type Fault, faultSchema } from './faults/fault-schema.ts';
import { ApiKeys } from './http/api-keys.ts';
import type { ProviderState } from './http/serve-exchange.ts';
import { type RecordedRequest, RequestLog, type RequestPredicate } from './request-log.ts';
import { StoredResponses } from './responses/stored-responses.ts';
import { loadTokenizer } from './text/tokenizer.ts';
import { IssuedTokens } from './tokens/issued-tokens.ts';

const DEFAULT_TOKEN_DELAY_MS = 30;
const MAX_LOGGED_REQUESTS = 10_000;
const MAX_BILLED_REQUESTS = 10_000;
/** Long enough that this side never closes a connection that its client is about to reuse. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;

export interface SimulatedProviderOptions {
  /** Default 0: the operating system chooses. */
  port?: number;
  /** Default 127.0.0.1. */
  host?: string;
  /** If set, requests must send this key, or one of these, in the header of their API. */
  apiKey?: string | readonly string[] | undefined;
  /** Pause before each token of a stream, in milliseconds; default 30, about as fast as one reads. */
  tokenDelayMs?: number;
  /** How many requests the log holds before it drops the oldest; default 10,000. */
  keepRequests?: number;
  /** How many requests its bills hold before the oldest are dropped; default 10,000. */
  keepBilled?: number;
  /** What it bills; default: everything is free. */
  prices?: PriceTable;
  /** If set, reports and exports of bills need this key instead of `apiKey`. */
  adminKey?: string;
  /** True: OpenAI's APIs read long prompts from a cache, as at OpenAI. Default false: usage is repeatable. */
  automaticCache?: boolean;
  /** How long a cached prompt is kept after its last use, unless marked with `1h`; default 5 minutes. */
  cacheTtlMs?: number;
}

export interface SimulatedProvider {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  /** All requests so far, oldest first; a request is listed as soon as its body has arrived. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves to the first request that matches, past or future. */
  waitForRequest(predicate?: RequestPredicate): Promise<RecordedRequest>;
  /** Queues faults, one for each coming request. They override the request's own `simulate`, knob by knob. */
  script(...faults: Fault[]): void;
  /** Refuses later requests with this key, as its API refuses an unknown key. */
  revokeKey(key: string): void;
  /** Accepts a revoked key again. */
  restoreKey(key: string): void;
  /** Sets the fault of every later request with this key; `{}`: none. */
  setFaultOfKey(key: string, fault: Fault): void;
  /** What it bills so far, oldest first, each request after its response has ended. */
  billed(): readonly PricedRequest[];
  /** How many requests its bills lack, because they hold no more than `keepBilled`. */
  readonly unbilled: number;
  /** Sets the prices of all requests, past ones too. */
  setPrices(prices: PriceTable): void;
  /** The access tokens that its token endpoints issue, and how these endpoints behave. */
  readonly tokens: IssuedTokens;
  /** Drops all requests, queued faults, states of keys, cached prompts and stored responses. */
  clear(): void;
  /** Stops listening and cuts all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a provider that needs no network and no account. @throws if the port is taken */
export async function startSimulatedProvider(
  options: SimulatedProviderOptions = {},
): Promise<SimulatedProvider> {
  const state: ProviderState = {
    apiKeys: new ApiKeys([options.apiKey ?? []].flat()),
    tokenDelayMs: options.tokenDelayMs ?? DEFAULT_TOKEN_DELAY_MS,
    promptCache: new PromptCache({ automatic: options.automaticCache, ttlMs: options.cacheTtlMs }),
    responses: new StoredResponses(),
    tokens: new IssuedTokens(),
    log: new RequestLog(options.keepRequests ?? MAX_LOGGED_REQUESTS),
    ledger: new BillLedger(options.keepBilled ?? MAX_BILLED_REQUESTS),
    adminKey: options.adminKey,
    scripted: [],
  };
  const { apiKeys, ledger, log, promptCache, responses, scripted, tokens } = state;
  ledger.setPrices(options.prices ?? {});
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, createApp(state));
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  // Loads the tokenizer before the first request, which loads it again and reports the error if this fails.
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
    billed: () => ledger.billed(undefined),
    get unbilled() {
      return ledger.dropped;
    },
    setPrices: (prices) => ledger.setPrices(prices),
    tokens,
    clear: () => {
      apiKeys.clear();
      ledger.clear();
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
