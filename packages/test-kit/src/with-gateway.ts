import { type UsageReceipt, usageReceipt } from '@model-gateway/shared';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Books, openBooks } from './open-books.ts';
import { postJson, type RequestOptions } from './post-json.ts';
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts';
import { until } from './until.ts';

/** The gateway that the tests of one file or one `describe` share, with a key and what most of them do. */
export interface SharedGateway extends TestGateway {
  /** A key of an account with high limits and a pool that is never used up. */
  rawKey: string;
  books: Books;
  /** Sends JSON below /v1 with `rawKey`, or with another key. A `path` that starts with "/" is absolute. */
  post(path: string, body: object | string, options?: RequestOptions & { key?: string }): Promise<Response>;
  /** Waits until the request of this response is settled, and reads its receipt. */
  receiptOf(response: Response, key?: string): Promise<UsageReceipt>;
}

/**
 * Starts one gateway before the tests of this file or `describe`, and closes it after them. Its members are there
 * when the first hook or test runs. The simulated provider is cleared before each test.
 * @param options a function reads them when the gateway starts, after the hooks declared before it
 */
export function withGateway(options: GatewayOptions | (() => GatewayOptions) = {}): SharedGateway {
  const shared: SharedGateway = Object.create(null);
  const stack = new AsyncDisposableStack();
  beforeAll(async () => {
    const gateway = stack.use(await startGateway(typeof options === 'function' ? options() : options));
    const books = stack.use(openBooks(gateway.databaseUrl));
    const { rawKey } = await gateway.createKey();
    Object.assign(shared, gateway, { books, rawKey });
  });
  beforeEach(() => shared.provider.clear());
  afterAll(() => stack.disposeAsync());

  shared.post = (path, body, { key = shared.rawKey, ...more } = {}) =>
    postJson(shared.baseUrl, key, path, body, more);
  shared.receiptOf = async (response, key = shared.rawKey) => {
    const id = response.headers.get('x-request-id') ?? '';
    const headers = { authorization: `Bearer ${key}` };
    const receipt = () => fetch(`${shared.baseUrl}/v1/usage/requests/${id}`, { headers });
    await until(async () => (await receipt()).status === 200);
    return usageReceipt.parse(await (await receipt()).json());
  };
  return shared;
}
