import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DevelopmentFile } from '../src/data-dir/development-file.ts';
import {
  gatewayctl,
  type NpmStart,
  ROOT,
  startWithoutNpm,
  type TemporaryDirectory,
  temporaryDirectory,
} from './npm-start.ts';

/** Has a proxy that does not exist: these tests must not send requests to real providers. */
const ENVIRONMENT = {
  OPENAI_API_KEY: 'sk-test-0123456789abcdef',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '',
};
const SSO_ONLY = {
  SSO_ONLY: 'true',
  OIDC_PROVIDERS: 'entra',
  OIDC_ENTRA_ISSUER: 'http://127.0.0.1:9',
  OIDC_ENTRA_CLIENT_ID: 'client',
  OIDC_ENTRA_CLIENT_SECRET: 'secret',
};

let directory: TemporaryDirectory;
let start: NpmStart;
let file: DevelopmentFile;

beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => directory[Symbol.asyncDispose]());

async function setCredential(name: string, value: string): Promise<string> {
  const args = ['packages/cli/src/main.ts', '--data-dir', directory.path, 'credentials', 'set', name];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(`${value}\n`);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return errors;
}

describe('npm start with a key of a provider, and without passwords', () => {
  beforeAll(async () => {
    start = startWithoutNpm(directory.path, [], { ...ENVIRONMENT, ...SSO_ONLY });
    file = await start.running();
  });
  afterAll(async () => {
    start.signal('SIGTERM');
    await start.exitCode;
  });

  it('is not held up by a provider that cannot be asked for its models', async () => {
    expect(start.output()).toContain('Real providers: OpenAI.\n');
    expect(start.output()).toContain(
      'OpenAI: all bundled models are offered, because the provider cannot be reached.',
    );
    expect(start.output()).not.toContain(ENVIRONMENT.OPENAI_API_KEY);
    expect(await gatewayctl(directory.path, 'models', 'list')).toContain('openai/gpt-6-astra');
  });

  it('stores the key of another provider, and says how to add its models', async () => {
    expect(await setCredential('ANTHROPIC_API_KEY', 'sk-ant-0123456789abcdef')).toContain(
      "No provider of the catalog names ANTHROPIC_API_KEY. Add its models:\ngatewayctl catalog add -f '",
    );
    const add = ['catalog', 'add', '-f', 'deploy/catalogs/anthropic.yaml', '--dry-run'];
    expect(await gatewayctl(directory.path, ...add)).toContain('simulated/claude-free');
  });

  it('prints no password', () => {
    expect(start.output()).toContain('passwords are switched off (SSO_ONLY=true)');
    expect(start.output()).not.toMatch(/password \S+$/m);
    expect(file.dashboard_password).toBeUndefined();
  });
});

describe('the next npm start, with passwords', () => {
  beforeAll(async () => {
    start = startWithoutNpm(directory.path, [], ENVIRONMENT);
    file = await start.running();
  });

  it('adds the provider whose key was stored', async () => {
    // Sorted by id, although this start has added Anthropic after OpenAI.
    expect(start.output()).toContain('Real providers: Anthropic, OpenAI.\n');
    expect(start.output()).not.toContain('all bundled models are offered, because the provider');
    const listed = JSON.parse(await gatewayctl(directory.path, 'credentials', 'list', '--json'));
    expect(listed).toMatchObject([
      { name: 'ANTHROPIC_API_KEY', source: 'stored', last_four: 'cdef', providers: ['anthropic'] },
      { name: 'OPENAI_API_KEY', source: 'environment', last_four: null, providers: ['openai'] },
    ]);
  });

  it('gives the account a password', () => {
    expect(start.output()).toMatch(/^ {2}Sign-in {4}you@example\.com {3}password \S+$/m);
    expect(file.dashboard_password).toEqual(expect.any(String));
  });
});
