import { parseControlPlaneConfig, startControlPlane } from '@model-gateway/control-plane';
import { parseDataPlaneConfig, startDataPlane } from '@model-gateway/data-plane';
import { PROVIDER_CREDENTIAL, type TestGateway } from './start-gateway.ts';
import { TEST_SECRETS } from './test-secrets.ts';
import { until } from './until.ts';

const { ADMIN_TOKEN, INTERNAL_TOKEN } = TEST_SECRETS;

export interface Peppers {
  API_KEY_LOOKUP_PEPPER: string;
  API_KEY_LOOKUP_PEPPER_OLD?: string;
}

/** Starts control planes and data planes with other peppers, on the database of a running gateway. */
export class ServicesBeside implements AsyncDisposable {
  readonly gateway: TestGateway;
  readonly #redisUrl: string | undefined;
  readonly #stack = new AsyncDisposableStack();

  constructor(gateway: TestGateway, redisUrl: string | undefined) {
    this.gateway = gateway;
    this.#redisUrl = redisUrl;
  }

  async controlPlane(peppers: Peppers) {
    const controlPlane = await startControlPlane(
      parseControlPlaneConfig({
        ...this.#common,
        ...peppers,
        ADMIN_TOKEN,
        DATABASE_URL: this.gateway.databaseUrl,
      }),
    );
    this.#stack.defer(() => controlPlane.close());
    const address = `127.0.0.1:${controlPlane.grpcPort}`;
    const metrics = async () =>
      await (await fetch(`http://127.0.0.1:${controlPlane.internalPort}/metrics`)).text();
    return { address, metrics };
  }

  /** @returns its base URL, without /v1 */
  async dataPlane(controlPlane: { address: string }, peppers: Peppers) {
    const dataPlane = await startDataPlane(
      parseDataPlaneConfig({
        ...this.#common,
        ...peppers,
        CONTROL_PLANE_ADDRESS: controlPlane.address,
        SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
        DRAIN_TIMEOUT_MS: '1000',
      }),
    );
    this.#stack.defer(() => dataPlane.close());
    await until(
      async () => (await fetch(`http://127.0.0.1:${dataPlane.internalPort}/health/ready`)).status === 200,
      60_000,
    );
    return `http://127.0.0.1:${dataPlane.port}`;
  }

  async [Symbol.asyncDispose]() {
    await this.#stack.disposeAsync();
  }

  get #common() {
    return {
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      ADMIN_PORT: '0',
      INTERNAL_TOKEN,
      LOG_LEVEL: 'silent',
      REDIS_URL: this.#redisUrl,
    };
  }
}
