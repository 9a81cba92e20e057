import { afterAll, beforeAll } from 'vitest';
import { type Gatewayctl, type Outcome, runWith, startGatewayctl } from './gatewayctl-fixture.ts';

export const WAYS = ['gRPC', 'HTTP'] as const;

interface Apply {
  readonly gatewayctl: Gatewayctl;
  /** Environment of commands that call in this way. */
  readonly environment: Record<string, string>;
  /** Runs `gatewayctl apply` with a file of this text. */
  apply(text: string, ...args: string[]): Promise<Outcome>;
}

/** Starts a control plane for the tests around it. */
export function withApply(way: (typeof WAYS)[number]): Apply {
  let gatewayctl: Gatewayctl;
  let environment: Record<string, string>;
  beforeAll(async () => {
    gatewayctl = await startGatewayctl();
    const { adminUrl: GATEWAY_ADMIN_URL } = gatewayctl;
    environment =
      way === 'gRPC'
        ? gatewayctl.environment
        : { GATEWAY_ADMIN_URL, GATEWAY_ADMIN_KEY: await gatewayctl.adminKey() };
  });
  afterAll(() => gatewayctl[Symbol.asyncDispose]());
  return {
    get gatewayctl() {
      return gatewayctl;
    },
    get environment() {
      return environment;
    },
    apply: (text, ...args) =>
      runWith(environment, ['apply', '-f', gatewayctl.file('gateway.yaml', text), ...args]),
  };
}
