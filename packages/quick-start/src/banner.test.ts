import { readFileSync } from 'node:fs';
import { catalogDocument } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { type BannerFacts, banner } from './banner.ts';
import { providerNotes } from './catalog/provider-notes.ts';
import type { OwnBalance } from './gateway/own-balance.ts';

const SIMULATED = 'http://127.0.0.1:8082/v1';

const LIMITED: OwnBalance = { left: 4_999_995_500n, reserved: 0n };

function catalogOf(...ids: string[]) {
  const provider = { name: 'Acme AI', kind: 'openai-compatible', base_url: 'https://api.acme.example/v1' };
  return catalogDocument.parse({
    providers: [
      { id: 'simulated', name: 'Simulated provider', kind: 'openai-compatible', base_url: SIMULATED },
      { id: 'simulated-anthropic', name: 'Simulated Anthropic', kind: 'anthropic', base_url: SIMULATED },
      { id: 'acme', ...provider, credential_env: 'ACME_API_KEY' },
    ].filter(({ id }) => ids.some((each) => id.startsWith(each))),
    models: ['chat', 'claude'].map((name) => ({
      id: `simulated/${name}`,
      name,
      capability: 'chat',
      tier: 'free',
      upstreams: [{ provider: name === 'chat' ? 'simulated' : 'simulated-anthropic', model: name }],
    })),
  });
}

function bannerText(environment: Record<string, string>, more: Partial<BannerFacts> = {}): string {
  const catalog = catalogOf('simulated', 'acme');
  return banner({
    baseUrl: 'http://127.0.0.1:8080/v1',
    apiKey: 'gw_live_1',
    dashboardUrl: 'http://127.0.0.1:8090',
    adminUrl: 'http://127.0.0.1:8091',
    signIn: { email: 'you@example.com', password: 'secret', changed: false },
    demoSignIn: { email: 'demo@example.com', password: 'secret', changed: false },
    isOperator: true,
    balance: LIMITED,
    catalog,
    environment,
    simulatedBaseUrl: SIMULATED,
    providerNotes: providerNotes(catalog, environment, []),
    firstChat: undefined,
    dataDir: '/data',
    dataDirFlag: undefined,
    takenPorts: [],
    embeddedPostgres: true,
    ...more,
  });
}

describe('what npm start prints', () => {
  it('is what the README shows', () => {
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    const [shown = ''] = /^Model Gateway is running\.\n[\s\S]*?^Stop it: Ctrl-C\n/m.exec(readme) ?? [];
    const text = bannerText(
      {},
      {
        apiKey: /gw_live_\w+/.exec(shown)?.[0] ?? '',
        dataDir: '/home/you/model-gateway/.gateway',
        balance: { left: null, reserved: 0n },
        firstChat: { model: 'simulated/chat-free', durationMs: 44, failure: undefined },
        signIn: {
          email: 'you@example.com',
          password: /password (\w+)/.exec(shown)?.[1] ?? '',
          changed: false,
        },
        catalog: catalogOf('simulated'),
        providerNotes: [],
      },
    );
    expect(text.trimStart()).toBe(shown);
  });

  it('lists no provider whose key is not set', () => {
    const without = bannerText({});
    expect(without).not.toContain('Real providers');
    expect(without).not.toContain('A real provider is one step away');
    expect(without).toContain('Acme AI cannot be used: ACME_API_KEY is not set.');
    expect(bannerText({ ACME_API_KEY: 'x' })).toContain('Real providers: Acme AI.\n');
  });

  it('says which names the simulated models have, whatever their providers are called', () => {
    expect(bannerText({})).toContain('Models named simulated/… are SIMULATED');
  });

  it('has the password of the demo account, also where it is not that of yours', () => {
    const own = { email: 'you@example.com', password: 'secret', changed: true };
    const demo = { ...own, email: 'demo@example.com' };
    expect(bannerText({})).toContain('sign in as demo@example.com, the same password (remove it: ');
    expect(bannerText({}, { signIn: own, demoSignIn: { ...demo, changed: false } })).toContain(
      'sign in as demo@example.com, password secret (remove it: ',
    );
    expect(bannerText({}, { demoSignIn: demo })).toContain(
      'sign in as demo@example.com, whose password was changed: set one with npm run --silent gatewayctl -- ' +
        'accounts reset-password demo@example.com (remove it: ',
    );
    expect(bannerText({}, { demoSignIn: undefined })).not.toContain('demo@example.com');
  });

  it('quotes a path for the shell where that is needed', () => {
    expect(bannerText({}, { dataDirFlag: '/my data/a' })).toContain(
      "gatewayctl -- --data-dir '/my data/a' status",
    );
    expect(bannerText({}, { dataDirFlag: "/it's" })).toContain(String.raw`--data-dir '/it'\''s' status`);
    expect(bannerText({}, { dataDirFlag: '/data/a-b_1' })).toContain('--data-dir /data/a-b_1 status');
  });

  it('has the console for an operator only', () => {
    expect(bannerText({})).toContain('Operate    http://127.0.0.1:8090/operate\n');
    expect(bannerText({}, { isOperator: false })).not.toContain('Operate');
  });

  it('says how to sign in without passwords', () => {
    const text = bannerText({}, { signIn: undefined });
    expect(text).toContain('identity provider: passwords are switched off (SSO_ONLY=true).');
    expect(text).not.toContain('same password');
  });

  it('has the commands of Docker in the container for trying out', () => {
    const text = bannerText({
      MODEL_GATEWAY_CONTAINER: '1',
      MODEL_GATEWAY_FOLDER: '/data',
      HOSTNAME: '0f4a21e2ee49',
    });
    expect(text).toContain('Manage it: docker exec 0f4a21e2ee49 gatewayctl status\n');
    expect(text).toContain('Stop it: docker stop 0f4a21e2ee49\n');
    expect(text).not.toContain('Admin API');
    expect(bannerText({})).toContain('Admin API  http://127.0.0.1:8091/admin/docs\n');
  });

  it('has the balance to the last digit that says something', () => {
    expect(bannerText({})).toContain('4.9999955 USD left');
  });

  it('says that an unlimited balance refuses nothing', () => {
    expect(bannerText({}, { balance: { left: null, reserved: 0n } })).toContain(
      'Balance    unlimited: paid models are counted, not refused',
    );
  });
});
