import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { PROVIDER_CREDENTIAL, TEST_SECRETS, type TestGateway } from '../../../packages/test-kit/src/index.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A data plane as a process of its own, beside those of the test gateway. */
export async function spawnDataPlane(
  gateway: TestGateway,
  drainTimeoutMs = 1_000,
  environment: Record<string, string> = {},
) {
  const child = spawn(process.execPath, ['services/data-plane/src/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
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
  const port = await new Promise<number>((resolve) => {
    let seen = '';
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const found = /"port":(\d+).*"data plane listening"/.exec(seen);
      if (found?.[1] !== undefined) resolve(Number(found[1]));
    });
  });
  return { child, log, exit, baseUrl: `http://127.0.0.1:${port}` };
}
