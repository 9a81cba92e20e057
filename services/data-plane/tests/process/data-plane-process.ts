import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PROVIDER_CREDENTIAL, TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * A data plane as a process of its own, beside those of the test gateway.
 * @param procsFile of a limit that it gets before it begins
 */
export async function spawnDataPlane(
  gateway: TestGateway,
  drainTimeoutMs = 1_000,
  environment: Record<string, string> = {},
  procsFile = '/dev/null',
) {
  const main = [process.execPath, 'services/data-plane/src/main.ts'];
  const child = spawn('sh', ['-c', 'echo $$ > "$0" && exec "$@"', procsFile, ...main], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      // Half of what a start costs is compiling, without this.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...TEST_SECRETS,
      PORT: '0',
      INTERNAL_PORT: '0',
      CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
      SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
      DRAIN_TIMEOUT_MS: String(drainTimeoutMs),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log = text(child.stdout);
  const exit = once(child, 'exit');
  const [port, internalPort] = await new Promise<[string, string]>((resolve) => {
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const [, port, internalPort] =
        /"port":(\d+),"internal_port":(\d+).*"data plane listening"/.exec(seen) ?? [];
      if (port !== undefined && internalPort !== undefined) resolve([port, internalPort]);
    });
  });
  const urlOf = (listening: string) => `http://127.0.0.1:${listening}`;
  return {
    child,
    log,
    exit,
    baseUrl: urlOf(port),
    internalUrl: urlOf(internalPort),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
