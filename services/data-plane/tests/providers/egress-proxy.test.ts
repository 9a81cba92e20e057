import {
  modelEntry,
  providerEntry,
  SIMULATED_ENTRA_CLIENT,
  SIMULATED_ENTRA_SECRET,
  SIMULATED_ENTRA_TENANT,
  simulatedServiceAccount,
  startGateway,
  type TestGateway,
  until,
  withoutCredential,
} from '@model-gateway/test-kit';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseDataPlaneConfig } from '../../src/config.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';
import { type ConnectProxy, startConnectProxy } from './start-connect-proxy.ts';

const OUTSIDE = 'http://provider.test/v1';
const PASSWORD = 'p@ss-0123456789';

let stack: AsyncDisposableStack;
let proxy: ConnectProxy;
let gateway: TestGateway;
let rawKey: string;

const kinds = [...new Map(MATRIX_KINDS.map((each) => [each.kind, { ...each, id: each.kind }])).values()];

/** Providers of every kind at a host that only the proxy can reach, and one on loopback. */
function document(baseUrl: string) {
  return {
    providers: [
      ...kinds.map(({ id, kind, provider }) => ({ id, name: id, kind, ...provider(OUTSIDE) })),
      withoutCredential(providerEntry('entra', 'http://provider.test/openai/v1', { kind: 'azure-openai' })),
      providerEntry('direct', 'http://direct.test/v1'),
      providerEntry('slow', 'http://slow.test/v1', { timeouts_ms: { connect: 500 } }),
      providerEntry('local', baseUrl),
    ],
    models: [
      ...kinds.map(({ id, upstreamModel }) =>
        modelEntry(`${id}/chat`, { [id]: upstreamModel }, { max_output_tokens: 100 }),
      ),
      modelEntry('entra/chat', { entra: 'sim-chat-free' }),
      modelEntry('direct/chat', { direct: 'sim-chat-free' }),
      modelEntry('slow/chat', { slow: 'sim-chat-free' }),
      modelEntry('local/chat', { local: 'sim-chat-free' }),
    ],
  };
}

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  // Services must reach each other without the proxy, which gRPC would use by itself.
  for (const name of ['grpc_proxy', 'https_proxy', 'http_proxy']) vi.stubEnv(name, 'http://127.0.0.1:9');
  stack.defer(() => void vi.unstubAllEnvs());
  // Leads to the provider after its start.
  const forwarder = stack.use(await startTcpProxy(9, '127.0.0.1'));
  proxy = stack.use(await startConnectProxy(forwarder.port));
  gateway = stack.use(
    await startGateway({
      document,
      environment: {
        http_proxy: `http://ada:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`,
        NO_PROXY: 'direct.test',
        SIMULATED_SERVICE_ACCOUNT: simulatedServiceAccount(OUTSIDE),
        AZURE_AUTHORITY_HOST: 'http://login.test',
        AZURE_TENANT_ID: SIMULATED_ENTRA_TENANT,
        AZURE_CLIENT_ID: SIMULATED_ENTRA_CLIENT,
        AZURE_CLIENT_SECRET: SIMULATED_ENTRA_SECRET,
      },
    }),
  );
  forwarder.leadTo(Number(new URL(gateway.provider.baseUrl).port));
  rawKey = (await gateway.createKey()).rawKey;
});
afterAll(() => stack.disposeAsync());

async function chat(model: string, more: object = {}) {
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
  });
  return { status: response.status, text: await response.text() };
}

describe('a proxy to providers', () => {
  it('is used for every kind of provider, whole and streamed, and for tokens', async () => {
    for (const { id, title } of kinds) {
      expect(await chat(`${id}/chat`), title).toMatchObject({ status: 200 });
      const streamed = await chat(`${id}/chat`, { stream: true });
      expect(streamed.text, title).toContain('[DONE]');
    }
    expect(await chat('entra/chat')).toMatchObject({ status: 200 });
    expect(new Set(proxy.tunnels)).toEqual(new Set(['provider.test:80', 'login.test:80']));
    const expected = `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
    expect(new Set(proxy.authorizations)).toEqual(new Set([expected]));
    for (const { headers } of gateway.provider.requests)
      expect(headers).not.toHaveProperty('proxy-authorization');
    expect(gateway.logText()).not.toContain(PASSWORD);
    expect(gateway.logText()).not.toContain(expected);
  });

  it('is not used for loopback and the hosts in NO_PROXY', async () => {
    expect(await chat('local/chat')).toMatchObject({ status: 200 });
    expect((await chat('direct/chat')).status).toBeGreaterThanOrEqual(502);
    expect(proxy.tunnels.filter((each) => !/^(provider|login)\.test:80$/.test(each))).toEqual([]);
  });

  it('is named in the log if it refuses, is silent or is away, and the caller learns that it failed', async () => {
    const failed = async () => {
      const { status, text } = await chat('slow/chat');
      return [status, JSON.parse(text).error.message];
    };
    const message = expect.stringContaining("The gateway's proxy to the model provider could not be reached");
    proxy.refusal.status = 407;
    expect(await failed()).toEqual([502, message]);
    await until(() => gateway.logText().includes('refused the connection with status 407'));
    proxy.refusal.status = 'silent';
    expect(await failed()).toEqual([504, message]);
    await until(() => gateway.logText().includes('opened no tunnel within 500 ms'));
    await proxy[Symbol.asyncDispose]();
    expect(await failed()).toEqual([502, message]);
    await until(() =>
      gateway
        .logText()
        .includes(`the proxy 127.0.0.1:${proxy.port} could not be reached: connection refused`),
    );
    expect(gateway.logText()).not.toContain(PASSWORD);
  });
});

describe('HTTPS_PROXY, HTTP_PROXY and NO_PROXY', () => {
  const problemOf = (environment: Record<string, string>) => {
    try {
      parseDataPlaneConfig({ NODE_ENV: 'test', ...environment });
    } catch (error) {
      return String(error);
    }
    return '';
  };

  it('are checked at the start, without the password in the message', () => {
    expect(problemOf({ HTTPS_PROXY: 'socks5://ada:secret@proxy.example' })).toMatch(
      /HTTPS_PROXY: expected the URL of an HTTP proxy, such as http:\/\/proxy\.example:3128, with %25 for % in its password$/,
    );
    expect(problemOf({ HTTP_PROXY: 'http://ada:100%zz@proxy.example' })).toMatch(
      /%25 for % in its password$/,
    );
    expect(problemOf({ NO_PROXY: '10.0.0.0/99' })).toContain('NO_PROXY: 10.0.0.0/99 is not a range');
    expect(problemOf({ HTTPS_PROXY: 'proxy.example:3128', NO_PROXY: '*' })).toBe('');
  });
});
