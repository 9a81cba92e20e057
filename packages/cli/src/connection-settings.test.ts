import { ConfigError, DEVELOPMENT_ADMIN_TOKEN } from '@model-gateway/service-kit';
import { describe, expect, it } from 'vitest';
import { type ConnectionFile, connectionSettings } from './connection-settings.ts';

const token = (letter: string) => letter.repeat(32);

function file(content: unknown): ConnectionFile {
  return { path: '.gateway/dev.json', text: JSON.stringify(content) };
}

function problemsOf(parse: () => unknown): readonly string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the connection settings', () => {
  const devFile = file({ control_plane_address: 'file:3', admin_token: token('f'), api_key: 'gw_live_x' });
  const environment = { CONTROL_PLANE_ADDRESS: 'env:2,env2:2', ADMIN_TOKEN: token('e') };

  it('come from the command line, else the environment, else dev.json, else the development defaults', () => {
    const flags = { controlPlane: 'flag:1', adminToken: token('c') };
    const addressAndToken = (...args: Parameters<typeof connectionSettings>) => {
      const { server } = connectionSettings(...args);
      if (server.by !== 'grpc') throw new Error('expected a connection by gRPC');
      return { addresses: server.addresses, adminToken: server.adminToken };
    };
    expect(addressAndToken(flags, environment, devFile)).toEqual({
      addresses: ['flag:1'],
      adminToken: token('c'),
    });
    expect(addressAndToken({}, environment, devFile)).toEqual({
      addresses: ['env:2', 'env2:2'],
      adminToken: token('e'),
    });
    expect(addressAndToken({}, {}, devFile)).toEqual({ addresses: ['file:3'], adminToken: token('f') });
    expect(addressAndToken({}, {}, undefined)).toEqual({
      addresses: ['127.0.0.1:50051'],
      adminToken: DEVELOPMENT_ADMIN_TOKEN,
    });
  });

  it('are looked up one by one, and an empty variable counts as not set', () => {
    const settings = connectionSettings(
      { controlPlane: 'flag:1' },
      { ADMIN_TOKEN: '', CONTROL_PLANE_ADDRESS: 'env:2' },
      file({ admin_token: token('f') }),
    );
    expect(settings.server).toMatchObject({ addresses: ['flag:1'], adminToken: token('f') });
  });

  it('fail for a broken dev.json only if a setting comes from it', () => {
    const broken = { path: '.gateway/dev.json', text: '{"admin_token": ' };
    expect(problemsOf(() => connectionSettings({ controlPlane: 'flag:1' }, {}, broken))).toEqual([
      expect.stringMatching(/^\.gateway\/dev\.json is not JSON/),
    ]);
    expect(problemsOf(() => connectionSettings({}, {}, file({ admin_token: 7 })))).toEqual([
      expect.stringMatching(/^\.gateway\/dev\.json: admin_token: /),
    ]);
    expect(problemsOf(() => connectionSettings({}, environment, broken))).toEqual([]);
  });

  it('need a secret of their own in production, and report every problem at once', () => {
    expect(
      problemsOf(() => connectionSettings({ controlPlane: 'x' }, { NODE_ENV: 'production' }, undefined)),
    ).toEqual([
      expect.stringMatching(/^CONTROL_PLANE_ADDRESS\[0\]: expected host:port/),
      expect.stringMatching(/^ADMIN_TOKEN: is required/),
    ]);
    expect(problemsOf(() => connectionSettings({}, { GRPC_TLS_CERT: '-----BEGIN' }, undefined))).toEqual([
      expect.stringMatching(/must be set together/),
    ]);
  });
});

describe('the management API', () => {
  const KEY = 'gw_admin_x';
  const ENV_URL = 'http://env:8091';

  it('is called if --url, --token or GATEWAY_ADMIN_URL says so, unless an option says gRPC', () => {
    const byUrl = { GATEWAY_ADMIN_URL: ENV_URL, GATEWAY_ADMIN_KEY: KEY };
    const serverOf = (...args: Parameters<typeof connectionSettings>) => connectionSettings(...args).server;
    const devFile = file({ admin_url: 'http://file:8091', dashboard_url: 'http://file:8090' });
    expect(serverOf({}, byUrl, undefined)).toEqual({ by: 'http', url: ENV_URL, token: KEY });
    expect(serverOf({ url: 'https://flag' }, byUrl, devFile)).toMatchObject({ url: 'https://flag' });
    expect(serverOf({ token: KEY }, {}, undefined)).toMatchObject({ url: 'http://127.0.0.1:8091' });
    expect(serverOf({ adminToken: token('a') }, byUrl, undefined).by).toBe('grpc');
    expect(serverOf({}, { GATEWAY_ADMIN_KEY: KEY }, undefined).by).toBe('grpc');
    expect(connectionSettings({ token: KEY }, {}, devFile)).toEqual({
      server: { by: 'http', url: 'http://file:8091', token: KEY },
      dashboardUrl: 'http://file:8090',
      isOfNpmStart: true,
    });
  });

  it('has a URL with or without the path of its routes', () => {
    for (const url of ['https://a/gw', 'https://a/gw/', 'https://a/gw/admin/v1', 'https://a/gw/admin/v1/'])
      expect(connectionSettings({ url, token: KEY }, {}, undefined).server).toMatchObject({
        url: 'https://a/gw',
      });
  });

  it('needs an admin key and a URL without a password', () => {
    expect(problemsOf(() => connectionSettings({ url: 'https://a' }, {}, undefined))).toEqual([
      expect.stringMatching(/^GATEWAY_ADMIN_KEY: is required .*admin-keys create/),
    ]);
    const wrong = { url: 'https://me:secret@a', token: 'gw_live_secret' };
    const problems = problemsOf(() => connectionSettings(wrong, {}, undefined));
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('secret');
  });
});
