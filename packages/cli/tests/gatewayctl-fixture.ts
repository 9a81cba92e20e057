import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { parseControlPlaneConfig, startControlPlane } from '../../../services/control-plane/src/index.ts';
import { runGatewayctl } from '../src/program.ts';

const ADMIN_TOKEN = 'test-admin-token-0123456789abcdefghij';

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** A control plane on a database of its own, and gatewayctl beside it. */
export interface Gatewayctl extends AsyncDisposable {
  environment: { CONTROL_PLANE_ADDRESS: string; ADMIN_TOKEN: string };
  databaseUrl: string;
  run(args: readonly string[], stdin?: string): Promise<Outcome>;
  /**
   * Runs with `--json`. Fails the test unless the command succeeds and prints one JSON value and nothing
   * else.
   */
  json(...args: string[]): Promise<unknown>;
}

export async function startGatewayctl(): Promise<Gatewayctl> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const controlPlane = await startControlPlane(
    parseControlPlaneConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      DATABASE_URL: database.url,
      ADMIN_TOKEN,
      LOG_LEVEL: 'silent',
    }),
  );
  stack.defer(() => controlPlane.close());
  const environment = { CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlane.grpcPort}`, ADMIN_TOKEN };
  const run = (args: readonly string[], stdin?: string) => runWith(environment, args, stdin);
  const owned = stack.move();
  return {
    environment,
    databaseUrl: database.url,
    run,
    async json(...args) {
      const { code, out, err } = await run([...args, '--json']);
      if (code !== 0 || err !== '') throw new Error(`exit code ${code}: ${err}`);
      return JSON.parse(out);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs gatewayctl in this process, and returns everything that it prints. */
export async function runWith(
  environment: Record<string, string>,
  args: readonly string[],
  stdin = '',
  errorIsTerminal = false,
): Promise<Outcome> {
  const outcome = { code: -1, out: '', err: '' };
  outcome.code = await runGatewayctl(args, {
    environment,
    defaultDataDir: '/nonexistent',
    writeOut: (chunk) => {
      outcome.out += chunk;
    },
    writeError: (chunk) => {
      outcome.err += chunk;
    },
    errorIsTerminal,
    readStdin: async () => stdin,
  });
  return outcome;
}
