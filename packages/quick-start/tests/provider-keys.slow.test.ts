import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  gatewayctl,
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

let directory: TemporaryDirectory;

beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => directory[Symbol.asyncDispose]());

async function start() {
  const started = startWithoutNpm(directory.path, [], ENVIRONMENT);
  await started.running();
  return {
    output: started.output(),
    stop: async () => {
      started.signal('SIGTERM');
      await started.exitCode;
    },
  };
}

async function setCredential(name: string, value: string): Promise<string> {
  const args = ['packages/cli/src/main.ts', '--data-dir', directory.path, 'credentials', 'set', name];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(`${value}\n`);
  const [errors] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return errors;
}

describe('provider keys at npm start', () => {
  it('a provider that cannot be asked for its models holds nothing up, and a stored key adds its provider', async () => {
    const first = await start();
    expect(first.output).toContain('Real providers: OpenAI.\n');
    expect(first.output).toContain(
      'OpenAI: all bundled models are offered, because the provider cannot be reached.',
    );
    expect(first.output).not.toContain(ENVIRONMENT.OPENAI_API_KEY);
    expect(await gatewayctl(directory.path, 'models', 'list')).toContain('openai/gpt-6-astra');
    expect(await setCredential('ANTHROPIC_API_KEY', 'sk-ant-0123456789abcdef')).toContain(
      "No provider of the catalog names ANTHROPIC_API_KEY. Add its models:\ngatewayctl catalog add -f '",
    );
    const add = ['catalog', 'add', '-f', 'deploy/catalogs/anthropic.yaml', '--dry-run'];
    expect(await gatewayctl(directory.path, ...add)).toContain('simulated/claude-free');
    await first.stop();

    const second = await start();
    // Sorted by id, although this start has added Anthropic after OpenAI.
    expect(second.output).toContain('Real providers: Anthropic, OpenAI.\n');
    expect(second.output).not.toContain('all bundled models are offered, because the provider');
    const listed = JSON.parse(await gatewayctl(directory.path, 'credentials', 'list', '--json'));
    expect(listed).toMatchObject([
      { name: 'ANTHROPIC_API_KEY', source: 'stored', last_four: 'cdef', providers: ['anthropic'] },
      { name: 'OPENAI_API_KEY', source: 'environment', last_four: null, providers: ['openai'] },
    ]);
    await second.stop();
  });
});
