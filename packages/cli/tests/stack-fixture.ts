import { randomBytes } from 'node:crypto';
import { type GatewayOptions, startGateway, TEST_SECRETS, type TestGateway } from '@model-gateway/test-kit';
import { z } from 'zod';
import {
  idIn,
  type Outcome,
  PROCESS_ENVIRONMENT,
  runProcess,
  runWith,
  succeeded,
} from './gatewayctl-fixture.ts';

/** With this value no test reaches a limit. */
const MANY = '1000000';

const createdKey = z.object({ id: z.string(), key: z.string() });

export interface NewAccount {
  id: string;
  email: string;
}

/** A whole gateway, and gatewayctl. Tests compare what a command says with what data planes answer. */
export interface Stack extends AsyncDisposable {
  gateway: TestGateway;
  /** Runs gatewayctl in a process of its own, as people start it. */
  process(...args: string[]): Promise<Outcome>;
  /** Runs gatewayctl in this process, which takes less time. */
  run(...args: string[]): Promise<Outcome>;
  /** Runs it with `--json`. Fails the test unless the command succeeds and prints nothing else. */
  json(...args: string[]): Promise<unknown>;
  /** Runs a command with `--json` that creates something, and returns its id. */
  id(...args: string[]): Promise<string>;
  newAccount(): Promise<NewAccount>;
  newKey(account: string, ...args: string[]): Promise<z.infer<typeof createdKey>>;
  /** Returns the status of each data plane's answer to a request with the key. */
  use(rawKey: string, model?: string): Promise<number[]>;
}

export async function startStack(options: GatewayOptions = {}): Promise<Stack> {
  const gateway = await startGateway({ dataPlanes: 2, controlPlanes: 2, ...options });
  const environment = {
    CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
    ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
  };
  const run = (...args: string[]) => runWith(environment, args);
  const json = async (...args: string[]) => succeeded(await run(...args, '--json'));
  const stack: Stack = {
    gateway,
    process: (...args) => runProcess(args, { ...PROCESS_ENVIRONMENT, ...environment }),
    run,
    json,
    id: async (...args) => idIn(await json(...args)),
    async newAccount() {
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const id = await stack.id('accounts', 'create', '--email', email);
      await run('limits', 'set', '--account', id, '--free-per-minute', MANY, '--paid-per-minute', MANY);
      return { email, id };
    },
    newKey: async (account, ...args) =>
      createdKey.parse(await json('keys', 'create', '--account', account, '--name', 'test', ...args)),
    use: async (rawKey, model = 'sim/chat-free') =>
      await Promise.all(gateway.dataPlanes.map((_, plane) => statusOf(gateway.urlOf(plane), rawKey, model))),
    [Symbol.asyncDispose]: () => gateway.close(),
  };
  return stack;
}

/** Returns the status; repeats after 503, because a look-up on a busy machine may exceed its deadline. */
async function statusOf(url: string, rawKey: string, model: string): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }),
    });
    await response.arrayBuffer();
    if (response.status !== 503) return response.status;
  }
}
