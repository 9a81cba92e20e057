import { type UsageReceipt, usageReceipt } from '@model-gateway/shared';
import { beforeEach } from 'vitest';
import { chatBody } from './chat-body.ts';
import { type Books, openBooks, usageOf } from './open-books.ts';
import { postJson, type RequestOptions } from './post-json.ts';
import { readAll } from './read-all.ts';
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts';
import { until } from './until.ts';
import { withStarted } from './with-started.ts';

/** The gateway that the tests of one file or one `describe` share. */
export interface SharedGateway extends TestGateway {
  /** A key of an account with high limits and a pool that is never used up. */
  rawKey: string;
  books: Books;
  /** Sends JSON below /v1 with `rawKey`, or with another key. A `path` that starts with "/" is absolute. */
  post(
    path: string,
    body: Parameters<typeof postJson>[3],
    options?: RequestOptions & { key?: string },
  ): Promise<Response>;
  /** Sends a request as `post` does, and reads its response until it ends or its connection breaks. */
  ask(...request: Parameters<SharedGateway['post']>): Promise<Answer>;
  /** Asks for a chat with sim/chat-free, with these members besides or instead. */
  chat(members?: object, options?: Parameters<SharedGateway['post']>[2]): Promise<Answer>;
  /** Waits until the request of this response is settled, and reads its receipt. */
  receiptOf(response: Pick<Response, 'headers'>): Promise<UsageReceipt>;
  /** Waits until the request of this response is settled, and reads its usage record. */
  recordOf(response: Pick<Response, 'headers'>): Promise<Record<string, unknown>>;
}

/** A response, read until its end or until its connection broke. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  /** True where the connection broke before the end. */
  isBroken: boolean;
}

/**
 * Starts one gateway before the tests of this file or `describe`, and closes it after them. The simulated
 * provider is cleared before each test.
 * @param options a function is called when the gateway starts
 */
export function withGateway(options: GatewayOptions | (() => GatewayOptions) = {}): SharedGateway {
  const gateway = withStarted(() => startGatewayWithKey(typeof options === 'function' ? options() : options));
  beforeEach(() => gateway.provider.clear());
  return gateway;
}

/** Starts a gateway that only one test uses, with a key. */
export async function startGatewayWithKey(options: GatewayOptions = {}): Promise<SharedGateway> {
  const gateway = await startGateway(options);
  const books = openBooks(gateway.databaseUrl);
  const { rawKey } = await gateway.createKey();
  const post: SharedGateway['post'] = (path, body, { key = rawKey, ...more } = {}) =>
    postJson(gateway.baseUrl, key, path, body, more);
  const ask: SharedGateway['ask'] = async (...request) => {
    const response = await post(...request);
    const { isBroken, text } = await readAll(response);
    return { status: response.status, headers: response.headers, body: text, isBroken };
  };
  return {
    ...gateway,
    books,
    rawKey,
    post,
    ask,
    chat: (members, options) => ask('chat/completions', chatBody(members), options),
    recordOf: ({ headers }) => usageOf(books, headers.get('x-request-id') ?? ''),
    async receiptOf({ headers }) {
      const url = `${gateway.baseUrl}/v1/usage/requests/${headers.get('x-request-id')}`;
      let receipt: Response | undefined;
      await until(async () => {
        receipt = await fetch(url, { headers: { authorization: `Bearer ${rawKey}` } });
        if (receipt.status === 200) return true;
        await receipt.body?.cancel();
        return false;
      });
      return usageReceipt.parse(await receipt?.json());
    },
    async [Symbol.asyncDispose]() {
      await books[Symbol.asyncDispose]();
      await gateway.close();
    },
  };
}
