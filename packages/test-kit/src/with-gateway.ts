import { type UsageReceipt, usageReceipt } from '@model-gateway/shared';
import { beforeEach } from 'vitest';
import { type Books, openBooks } from './open-books.ts';
import { postJson, type RequestOptions } from './post-json.ts';
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
  /** Waits until the request of this response is settled, and reads its receipt. */
  receiptOf(response: Pick<Response, 'headers'>): Promise<UsageReceipt>;
}

/**
 * Starts one gateway before the tests of this file or `describe`, and closes it after them. The simulated
 * provider is cleared before each test.
 * @param options a function is called when the gateway starts
 */
export function withGateway(options: GatewayOptions | (() => GatewayOptions) = {}): SharedGateway {
  const gateway = withStarted(() => startSharedGateway(typeof options === 'function' ? options() : options));
  beforeEach(() => gateway.provider.clear());
  return gateway;
}

async function startSharedGateway(options: GatewayOptions): Promise<SharedGateway> {
  const gateway = await startGateway(options);
  const books = openBooks(gateway.databaseUrl);
  const { rawKey } = await gateway.createKey();
  return {
    ...gateway,
    books,
    rawKey,
    post: (path, body, { key = rawKey, ...more } = {}) => postJson(gateway.baseUrl, key, path, body, more),
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
