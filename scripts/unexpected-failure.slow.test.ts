import { request } from 'node:http';
import {
  PROVIDER_CREDENTIAL,
  type SpawnedService,
  spawnService,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SERVICES = ['data-plane', 'catalog', 'dashboard', 'control-plane'] as const;

/** A module that is loaded into a service: at SIGUSR2 a callback fails that nothing catches. */
const THROWS = module(
  "setImmediate(() => { throw new Error('nobody expected this', { cause: new Error('the cause') }); })",
);
const REJECTS = module(
  "Promise.reject(new Error('nobody expected this', { cause: new Error('the cause') }))",
);

function module(failure: string): string {
  return `data:text/javascript,process.on('SIGUSR2', () => { ${encodeURIComponent(failure)}; });`;
}

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

function environment(): Record<string, string> {
  return {
    CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
    DATABASE_URL: gateway.databaseUrl,
    SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
    PUBLIC_URL: 'http://127.0.0.1:8090',
    DRAIN_TIMEOUT_MS: '30000',
  };
}

const ready = ({ internalPort }: SpawnedService) => fetch(`http://127.0.0.1:${internalPort}/health/ready`);

describe.each(SERVICES)('the %s', (name) => {
  it.concurrent.each([
    ['an exception in a callback', THROWS, 'uncaughtException'],
    ['a rejection', REJECTS, 'unhandledRejection'],
  ])('logs %s that nobody caught with its cause, and exits with 1', async (_what, broken, origin) => {
    await using service = await spawnService(name, environment(), [broken]);
    service.kill('SIGUSR2');
    expect(await service.exit).toEqual([1, null]);
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"level":60'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        service: name,
        origin,
        error: {
          message: 'nobody expected this',
          stack: expect.stringContaining('Error: nobody expected this'),
          cause: { message: 'the cause' },
        },
      },
    ]);
  });
});

it('a data plane that has failed is not ready, and lets the open stream end before it exits', async () => {
  const { rawKey } = await gateway.createKey();
  await using service = await spawnService('data-plane', environment(), [THROWS]);
  await until(async () => (await ready(service)).status === 200);
  const { answer, firstByte } = stream(service.port, rawKey, {
    // Lasts four seconds, so that the test sees the data plane not ready meanwhile.
    token_delay_ms: 500,
    content: 'a b c d e f g h',
  });
  await firstByte;
  service.kill('SIGUSR2');
  await until(() => service.output().includes('"level":60'));
  const standing = await ready(service);
  expect(standing.status).toBe(503);
  expect(await standing.text()).toContain('shutting down');
  expect(await answer).toContain('data: [DONE]');
  expect(await service.exit).toEqual([1, null]);
});

it('a data plane that has failed ends a stream that goes on for ever with an error event', async () => {
  const { rawKey } = await gateway.createKey();
  await using service = await spawnService('data-plane', { ...environment(), DRAIN_TIMEOUT_MS: '60000' }, [
    THROWS,
  ]);
  await until(async () => (await ready(service)).status === 200);
  const { answer, firstByte } = stream(service.port, rawKey, { hang: { after_events: 3 } });
  await firstByte;
  service.kill('SIGUSR2');
  expect(await answer).toMatch(/data: \{"error":/);
  expect(await service.exit).toEqual([1, null]);
});

/** Streams a chat. Answers with its raw text once it is over, however it ended. */
function stream(port: number, rawKey: string, simulate: object) {
  const firstByte = Promise.withResolvers<void>();
  const answer = new Promise<string>((resolve) => {
    let text = '';
    const call = request({
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    });
    call.on('error', (error) => resolve(`${text}${error.message}`));
    call.on('response', (response) => {
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        firstByte.resolve();
      });
      response.on('error', () => undefined);
      response.on('close', () => resolve(text));
    });
    call.end(
      JSON.stringify({
        model: 'sim/chat-free',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
        simulate,
      }),
    );
  });
  return { answer, firstByte: firstByte.promise };
}
