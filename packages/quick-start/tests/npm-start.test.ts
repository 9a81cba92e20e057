import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { until } from '../../test-kit/src/index.ts';
import { npmStart, stillRunning, temporaryDirectory } from './npm-start.ts';

const run = promisify(execFile);

describe('npm start', { timeout: 90_000 }, () => {
  it('ends with a curl line that works as printed, and leaves no process after Ctrl-C', async () => {
    await using directory = temporaryDirectory();
    const start = npmStart(directory.path);
    const file = await start.running();
    const curl =
      start
        .output()
        .split('\n')
        .find((line) => line.startsWith('curl ')) ?? '';
    const { stdout } = await run('sh', ['-c', curl]);
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'chat.completion',
      model: 'simulated/chat-free',
      choices: [
        { finish_reason: 'stop', message: { role: 'assistant', content: expect.stringMatching(/\w+/) } },
      ],
    });
    expect(start.output()).toContain('SIMULATED');
    expect(start.output()).toContain('export OPENAI_API_KEY=');
    expect(start.output()).toContain(file.api_key);
    expect(start.output()).toContain('Credit     5.00 USD left for paid models');
    expect(statSync(join(directory.path, 'dev.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(file.pids).sort()).toEqual([
      'catalog',
      'control_plane',
      'data_plane',
      'npm_start',
      'postgres',
      'simulated_provider',
    ]);
    expect(stillRunning(file)).toHaveLength(6);
    start.signalGroup('SIGINT');
    expect(await start.exitCode).toBe(0);
    expect(stillRunning(file)).toEqual([]);
  });

  it('stops everything when a process manager signals npm alone, with a stream open', async () => {
    await using directory = temporaryDirectory();
    const start = npmStart(directory.path);
    const file = await start.running();
    const response = await fetch(`${file.base_url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${file.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'simulated/chat-free',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
        simulate: { hang: { after_events: 2 } },
      }),
    });
    expect(response.status).toBe(200);
    start.signal('SIGTERM');
    expect(await start.exitCode).toBe(0);
    expect(stillRunning(file)).toEqual([]);
    await expect(response.text()).rejects.toThrow();
  });

  it('works again after everything was killed, with the same key and what was applied since', async () => {
    await using directory = temporaryDirectory();
    const killed = npmStart(directory.path);
    const before = await killed.running();
    const catalog = JSON.parse(await gatewayctl(directory.path, 'catalog', 'show', '--json'));
    catalog.models = catalog.models.filter(({ id }: { id: string }) => id !== 'simulated/chat-pro');
    const catalogFile = join(directory.path, 'mine.json');
    writeFileSync(catalogFile, JSON.stringify(catalog));
    await gatewayctl(directory.path, 'catalog', 'apply', '-f', catalogFile);

    const demo = ['--account', 'demo@example.com'];
    killed.signalGroup('SIGKILL');
    await killed.exitCode;
    const again = npmStart(directory.path);
    const after = await again.running();
    expect(after.api_key).toBe(before.api_key);
    expect(stillRunning(before).filter((name) => before.pids[name] !== after.pids[name])).toEqual([]);
    const pools = JSON.parse(await gatewayctl(directory.path, 'pools', 'list', ...demo, '--json'));
    expect(pools).toMatchObject([
      { included_usd: '5.000000000', resets_at: expect.stringContaining('-01T') },
    ]);
    const models = await fetch(`${after.base_url}/models`).then((response) => response.text());
    expect(models).toContain('simulated/chat-free');
    expect(models).not.toContain('simulated/chat-pro');

    // The key of a file that is already in use is no stranger's to take.
    const second = npmStart(directory.path);
    expect(await second.exitCode).toBe(1);
    expect(second.errors()).toContain(`a gateway runs at ${after.base_url}`);
    expect(stillRunning(after)).toHaveLength(6);
  });

  it('takes the next free port and says so, but never another one than was asked for by name', async () => {
    await using directory = temporaryDirectory();
    await using taken = await listen(0);
    const refused = npmStart(directory.path, ['--port', String(taken.port)]);
    expect(await refused.exitCode).toBe(1);
    expect(ownLines(refused.errors())).toEqual([
      `npm start: port ${taken.port} is taken: choose another one with --port`,
    ]);

    await using _default = await listen(8080).catch(() => undefined);
    const start = npmStart(directory.path);
    const file = await start.running();
    expect(new URL(file.base_url).port).not.toBe('8080');
    expect(start.output()).toContain('Port 8080 is taken');
  });

  it('leaves nothing when it is stopped while it is still starting', async () => {
    await using directory = temporaryDirectory();
    const start = npmStart(directory.path);
    const record = join(directory.path, 'processes.json');
    await until(() => {
      try {
        return readFileSync(record, 'utf8').includes('control-plane');
      } catch {
        return false;
      }
    }, 60_000);
    start.signalGroup('SIGINT');
    expect(await start.exitCode).toBe(0);
    const pids: { name: string; pid: number }[] = JSON.parse(readFileSync(record, 'utf8'));
    const left = Object.fromEntries(pids.map(({ name, pid }) => [name, pid]));
    expect(stillRunning({ pids: left })).toEqual([]);
  });

  it('says everything that is wrong with a catalog file, and starts nothing', async () => {
    await using directory = temporaryDirectory();
    const catalogFile = join(directory.path, 'broken.yaml');
    writeFileSync(
      catalogFile,
      'providers: []\nmodels: [{ id: nope, name: x, capability: chat, tier: cheap }]\n',
    );
    const start = npmStart(directory.path, ['--catalog', catalogFile]);
    expect(await start.exitCode).toBe(1);
    expect(start.errors()).toContain('models[0].id: ');
    expect(start.errors()).toContain('models[0].tier: ');
    expect(start.errors()).toContain('models[0].upstreams: ');
    expect(start.output()).not.toContain('Model Gateway is running');
  });

  it('refuses to run the embedded parts in production', async () => {
    await using directory = temporaryDirectory();
    const start = npmStart(directory.path, [], { NODE_ENV: 'production' });
    expect(await start.exitCode).toBe(1);
    expect(ownLines(start.errors())).toEqual([expect.stringContaining('NODE_ENV=production refuses')]);
  });
});

async function gatewayctl(dataDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(
    'npm',
    ['run', '--silent', 'gatewayctl', '--', '--data-dir', dataDir, ...args],
    {
      cwd: new URL('../../../', import.meta.url),
    },
  );
  return stdout;
}

/** Without what npm and the bootstrap have to say. */
function ownLines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !/^(npm (warn|notice)|model-gateway:) /.test(line));
}

async function listen(port: number): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
