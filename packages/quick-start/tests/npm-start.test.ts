import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { until } from '../../test-kit/src/index.ts';
import { npmStart, stillRunning, temporaryDirectory } from './npm-start.ts';

const run = promisify(execFile);

const DEMO = ['--account', 'demo@example.com'];

describe('npm start', () => {
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
    const [, url] = /^ {2}Dashboard {2}(http:\S+)$/m.exec(start.output()) ?? [];
    const [, email, password] = /^ {2}Sign-in {4}(\S+) {3}password (\S+)$/m.exec(start.output()) ?? [];
    expect(await signIn(url, email, password)).toBe(200);
    expect(await signIn(url, email, `${password}x`)).toBe(401);
    expect(start.output()).toContain('made-up demo data');
    expect(file).toMatchObject({
      dashboard_url: url,
      dashboard_email: 'demo@example.com',
      dashboard_password: password,
    });
    expect(statSync(join(directory.path, 'dev.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(file.pids).sort()).toEqual([
      'catalog',
      'control_plane',
      'dashboard',
      'data_plane',
      'npm_start',
      'postgres',
      'simulated_provider',
    ]);
    expect(stillRunning(file)).toHaveLength(7);
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

    const usedBefore = await demoRequests(directory.path);
    expect(usedBefore).toBeGreaterThan(100);
    killed.signalGroup('SIGKILL');
    await killed.exitCode;
    const again = npmStart(directory.path);
    const after = await again.running();
    expect(after.api_key).toBe(before.api_key);
    expect(after.dashboard_password).toBe(before.dashboard_password);
    // The first chats of two starts, and no demo usage for a second time.
    expect((await demoRequests(directory.path)) - usedBefore).toBeLessThanOrEqual(2);
    expect(stillRunning(before).filter((name) => before.pids[name] !== after.pids[name])).toEqual([]);
    const pools = JSON.parse(await gatewayctl(directory.path, 'pools', 'list', ...DEMO, '--json'));
    expect(pools).toMatchObject([
      { included_usd: '5.000000000', resets_at: expect.stringContaining('-01T') },
      { name: expect.stringContaining('Demo data'), remaining_usd: '0.000000000' },
    ]);
    const models = await fetch(`${after.base_url}/models`).then((response) => response.text());
    expect(models).toContain('simulated/chat-free');
    expect(models).not.toContain('simulated/chat-pro');

    // The key of a file that is already in use is no stranger's to take.
    const second = npmStart(directory.path);
    expect(await second.exitCode).toBe(1);
    expect(second.errors()).toContain(`a gateway runs at ${after.base_url}`);
    expect(stillRunning(after)).toHaveLength(7);
  });

  it('goes on with the data directory of a version that had no dashboard', async () => {
    await using directory = temporaryDirectory();
    const first = npmStart(directory.path);
    const before = await first.running();
    first.signalGroup('SIGINT');
    expect(await first.exitCode).toBe(0);
    const secretsFile = join(directory.path, 'secrets.json');
    const { SESSION_SECRET: removed, ...secrets } = JSON.parse(readFileSync(secretsFile, 'utf8'));
    writeFileSync(secretsFile, JSON.stringify(secrets));
    const fileNames = ['base_url', 'api_key', 'control_plane_address', 'admin_token', 'pids'];
    writeFileSync(
      join(directory.path, 'dev.json'),
      JSON.stringify(before, fileNames.concat(Object.keys(before.pids))),
    );

    const file = await npmStart(directory.path).running();
    expect(file.api_key).toBe(before.api_key);
    expect(file.dashboard_password).not.toBe(before.dashboard_password);
    expect(await signIn(file.dashboard_url, file.dashboard_email, file.dashboard_password)).toBe(200);
    const completed = JSON.parse(readFileSync(secretsFile, 'utf8'));
    expect(completed).toMatchObject(secrets);
    expect(completed.SESSION_SECRET).toMatch(/^.{32,}$/);
    expect(completed.SESSION_SECRET).not.toBe(removed);
  });

  it('leaves alone a password that was changed in the dashboard, and says so', async () => {
    await using directory = temporaryDirectory();
    const first = npmStart(directory.path);
    const { dashboard_url: url = '', dashboard_email: email } = await first.running();
    const reset = await gatewayctl(directory.path, 'accounts', 'reset-password', email ?? '', '--json');
    const { token } = JSON.parse(reset);
    expect(await post(`${url}/api/password-reset`, { token, password: 'a password of my own' })).toBe(204);
    first.signalGroup('SIGINT');
    expect(await first.exitCode).toBe(0);

    const second = npmStart(directory.path);
    const { dashboard_url: newUrl } = await second.running();
    expect(await signIn(newUrl, email, 'a password of my own')).toBe(200);
    expect(second.output()).toContain(`${email}, with the password that you have set`);
  });

  it('takes the next free port and says so, but never another one than was asked for by name', async () => {
    await using directory = temporaryDirectory();
    await using taken = await listen(0);
    const refused = npmStart(directory.path, ['--port', String(taken.port)]);
    expect(await refused.exitCode).toBe(1);
    expect(ownLines(refused.errors())).toEqual([
      `npm start: port ${taken.port} is taken: choose another one with --port`,
    ]);

    const noDashboard = npmStart(directory.path, ['--dashboard-port', String(taken.port)]);
    expect(await noDashboard.exitCode).toBe(1);
    expect(ownLines(noDashboard.errors())).toEqual([
      `npm start: port ${taken.port} is taken: choose another one with --dashboard-port`,
    ]);

    await using _default = await listen(8080).catch(() => undefined);
    await using _dashboard = await listen(8090).catch(() => undefined);
    const start = npmStart(directory.path);
    const { base_url: baseUrl, dashboard_url: dashboardUrl = '' } = await start.running();
    expect(new URL(baseUrl).port).not.toBe('8080');
    expect(start.output()).toContain('Port 8080 is taken');
    expect(new URL(dashboardUrl).port).not.toBe('8090');
    expect(start.output()).toContain('Port 8090 is taken');
    expect((await fetch(dashboardUrl)).headers.get('content-type')).toMatch(/^text\/html/);
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
    });
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

/** How many requests of the demo account there are records of. */
async function demoRequests(dataDir: string): Promise<number> {
  const since = new Date(Date.now() - 60 * 24 * 3_600_000).toISOString().slice(0, 10);
  const usage = JSON.parse(await gatewayctl(dataDir, 'usage', ...DEMO, '--since', since, '--json'));
  return usage.totals.requests;
}

function signIn(url = '', email = '', password = ''): Promise<number> {
  return post(`${url}/api/auth/sign-in/email`, { email, password });
}

/** As a page of the dashboard does. @returns the status of the answer */
async function post(url: string, body: Record<string, string>): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
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
