import { execFile } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentFile, readDevelopmentFile } from '../src/data-dir/development-file.ts';
import {
  gatewayctl,
  type NpmStart,
  npmStart,
  pidOf,
  ROOT,
  startWithoutNpm,
  stillRunning,
  type TemporaryDirectory,
  temporaryDirectory,
} from './npm-start.ts';

const run = promisify(execFile);

const OWN = ['--account', 'you@example.com'];
const DEMO = ['--account', 'demo@example.com'];

/**
 * A start takes many times as long as looking at its results. So these tests share a data directory: each
 * goes on with the start that the one before has left, and between them it is stopped in four different ways.
 */
describe('npm start on one data directory', () => {
  let directory: TemporaryDirectory;
  let ports: AsyncDisposableStack;
  let start: NpmStart;
  let file: DevelopmentFile;

  beforeAll(async () => {
    directory = temporaryDirectory();
    ports = new AsyncDisposableStack();
    // When these ports cannot be taken, another program has them. They are taken in both cases.
    for (const port of [8080, 8090]) ports.use(await listen(port).catch(() => undefined));
    start = npmStart(directory.path, [], { SIGNUP_POOL_USD: '0.05' });
    file = await start.running();
  });
  afterAll(async () => {
    await directory?.[Symbol.asyncDispose]();
    await ports?.disposeAsync();
  });

  async function startAgain(): Promise<void> {
    start = npmStart(directory.path);
    file = await start.running();
  }

  it('leaves no session of its own in the list of its user', async () => {
    const url = file.dashboard_url;
    const { dashboard_email: email, dashboard_password: password } = file;
    const response = await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify({ email, password }),
    });
    const cookie = response.headers.getSetCookie().map((each) => each.split(';', 1)[0]);
    const listed = await fetch(`${url}/api/security`, { headers: { cookie: cookie.join('; ') } });
    expect(await listed.json()).toMatchObject({ sessions: [{ isThis: true }] });
  });

  it('ends with a curl line that works as printed, and a sign-in to the dashboard', async () => {
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
    expect(start.output()).toContain(
      'export OPENAI_API_KEY=sk-… or ANTHROPIC_API_KEY=sk-ant-…, and npm start',
    );
    expect(start.output()).toContain(file.api_key);
    expect(start.output()).toContain('Balance    unlimited: paid models are counted, not refused');
    const [, url] = /^ {2}Dashboard {2}(http:\S+)$/m.exec(start.output()) ?? [];
    const [, email, password] = /^ {2}Sign-in {4}(\S+) {3}password (\S+)$/m.exec(start.output()) ?? [];
    expect(await signIn(url, email, password)).toBe(200);
    expect(await signIn(url, email, `${password}x`)).toBe(401);
    expect(start.output()).toContain('A month of made-up usage to look at: sign in as demo@example.com');
    expect(file).toMatchObject({
      dashboard_url: url,
      dashboard_email: 'you@example.com',
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
  });

  it('makes its own account an operator, and the account with made-up usage none', async () => {
    expect(start.output()).toContain(`  Operate    ${file.dashboard_url}/operate\n`);
    const roles = JSON.parse(await gatewayctl(directory.path, 'roles', 'list', '--json'));
    expect(roles).toMatchObject([{ email: 'you@example.com', role: 'operator' }]);
  });

  it('gives its own accounts no pool for sign-ups', async () => {
    const namesOf = async (account: string[]) => {
      const pools = JSON.parse(await gatewayctl(directory.path, 'pools', 'list', ...account, '--json'));
      return pools.map(({ name }: { name: string }) => name);
    };
    expect(await namesOf(OWN)).toEqual(['Unlimited']);
    expect(await namesOf(DEMO)).toEqual(['Demo data: already used']);
  });

  it('answers the clients of Anthropic with simulated Claude models, without an account there', async () => {
    const response = await fetch(`${file.base_url}/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': file.api_key,
        'anthropic-version': '2023-06-01',
      },
      body: JSON.stringify({
        model: 'simulated/claude-pro',
        max_tokens: 64,
        messages: [{ role: 'user', content: 'Say hello.' }],
      }),
    });
    expect(await response.json()).toMatchObject({
      type: 'message',
      model: 'simulated/claude-pro',
      content: [{ type: 'text', text: expect.stringMatching(/\w+/) }],
    });
  });

  it('takes the next free port and says so', async () => {
    const { base_url: baseUrl, dashboard_url: dashboardUrl = '' } = file;
    expect(new URL(baseUrl).port).not.toBe('8080');
    expect(start.output()).toContain('Port 8080 is taken');
    expect(new URL(dashboardUrl).port).not.toBe('8090');
    expect(start.output()).toContain('Port 8090 is taken');
    expect((await fetch(dashboardUrl)).headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('works again after everything was killed, with the same key and what was applied since', async () => {
    const before = file;
    await paidChat(before);
    const catalog = JSON.parse(await npmRunGatewayctl(directory.path, 'catalog', 'show', '--json'));
    catalog.models = catalog.models.filter(({ id }: { id: string }) => id !== 'simulated/chat-pro');
    const catalogFile = join(directory.path, 'mine.json');
    writeFileSync(catalogFile, JSON.stringify(catalog));
    const [, usedBefore, demoBefore] = await Promise.all([
      gatewayctl(directory.path, 'catalog', 'apply', '-f', catalogFile),
      requestsOf(OWN, directory.path),
      requestsOf(DEMO, directory.path),
    ]);
    expect(usedBefore).toBeLessThanOrEqual(4);
    expect(demoBefore).toBeGreaterThan(100);
    start.signalGroup('SIGKILL');
    await start.exitCode;
    await startAgain();
    const after = file;
    expect(after.api_key).toBe(before.api_key);
    expect(after.dashboard_password).toBe(before.dashboard_password);
    expect(stillRunning(before).filter((name) => before.pids[name] !== after.pids[name])).toEqual([]);
    const [used, demo, pools, models] = await Promise.all([
      requestsOf(OWN, directory.path),
      requestsOf(DEMO, directory.path),
      gatewayctl(directory.path, 'pools', 'list', ...OWN, '--json'),
      fetch(`${after.base_url}/models`).then((response) => response.text()),
    ]);
    // These are the first chats of two starts, the chat by curl and the paid one.
    expect(used - usedBefore).toBeLessThanOrEqual(4);
    expect(demo).toBe(demoBefore);
    expect(JSON.parse(pools)).toMatchObject([
      { unlimited: true, included_usd: null, resets_at: expect.stringContaining('-01T') },
    ]);
    const [balance = { used_usd: '' }]: { used_usd: string }[] = JSON.parse(pools);
    expect(Number(balance.used_usd)).toBeGreaterThan(0);
    expect(models).toContain('simulated/chat-free');
    expect(models).not.toContain('simulated/chat-pro');

    // A second start must not take the key of a directory that is already in use.
    const second = npmStart(directory.path);
    expect(await second.exitCode).toBe(1);
    expect(second.errors()).toContain(`a gateway runs at ${after.base_url}`);
    expect(stillRunning(after)).toHaveLength(7);
  });

  it('stops everything when a process manager signals npm alone, with a stream open', async () => {
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

  it('prints sign-ins that work after a first start that did not finish', async () => {
    // A start that is interrupted between its first account and its end leaves accounts, and no dev.json.
    rmSync(join(directory.path, 'dev.json'));
    await startAgain();
    expect(start.output()).toContain('sign in as demo@example.com, the same password');
    const { dashboard_password: password, dashboard_url: url } = file;
    expect(await signIn(url, 'demo@example.com', password)).toBe(200);
    expect(await signIn(url, 'you@example.com', password)).toBe(200);
    start.signalGroup('SIGINT');
    expect(await start.exitCode).toBe(0);
  });

  it('goes on with the data directory of a version that had no dashboard', async () => {
    const before = file;
    const secretsFile = join(directory.path, 'secrets.json');
    const { SESSION_SECRET: removed, ...secrets } = JSON.parse(readFileSync(secretsFile, 'utf8'));
    writeFileSync(secretsFile, JSON.stringify(secrets));
    const fileNames = ['base_url', 'api_key', 'control_plane_address', 'admin_token', 'pids'];
    writeFileSync(
      join(directory.path, 'dev.json'),
      JSON.stringify(before, fileNames.concat(Object.keys(before.pids))),
    );

    await startAgain();
    expect(file.api_key).toBe(before.api_key);
    expect(file.dashboard_password).not.toBe(before.dashboard_password);
    expect(await signIn(file.dashboard_url, file.dashboard_email, file.dashboard_password)).toBe(200);
    const completed = JSON.parse(readFileSync(secretsFile, 'utf8'));
    expect(completed).toMatchObject(secrets);
    expect(completed.SESSION_SECRET).toMatch(/^.{32,}$/);
    expect(completed.SESSION_SECRET).not.toBe(removed);
  });

  it('leaves no process after Ctrl-C', async () => {
    expect(stillRunning(file)).toHaveLength(7);
    const { dashboard_url: url = '', dashboard_email: email = '' } = file;
    // The next test starts with a password that was changed in the dashboard.
    const reset = await gatewayctl(directory.path, 'accounts', 'reset-password', email, '--json');
    const { token } = JSON.parse(reset);
    expect(await post(`${url}/api/password-reset`, { token, password: 'a password of my own' })).toBe(204);
    start.signalGroup('SIGINT');
    expect(await start.exitCode).toBe(0);
    expect(stillRunning(file)).toEqual([]);
  });

  it('leaves alone a password that was changed in the dashboard, and says so', async () => {
    await startAgain();
    const { dashboard_url: url, dashboard_email: email } = file;
    expect(await signIn(url, email, 'a password of my own')).toBe(200);
    expect(start.output()).toContain(`${email}, with the password that you have set`);
  });

  it('leaves nothing when it is stopped in the pause before it starts again what has crashed', async () => {
    process.kill(pidOf(file, 'catalog'), 'SIGKILL');
    await until(() => start.errors().includes('catalog ended unexpectedly'));
    start.signalGroup('SIGINT');
    expect(await start.exitCode).toBe(0);
    expect(stillRunning(readDevelopmentFile(directory.path) ?? file)).toEqual([]);
  });
});

describe('npm start', () => {
  it('takes no other port than one that was asked for by name', async () => {
    await using taken = await listen(0);
    await Promise.all(
      ['--port', '--dashboard-port'].map(async (option) => {
        await using directory = temporaryDirectory();
        const refused = startWithoutNpm(directory.path, [option, String(taken.port)]);
        expect(await refused.exitCode).toBe(1);
        expect(linesOf(refused.errors())).toEqual([
          `npm start: port ${taken.port} is taken: choose another one with ${option}`,
        ]);
      }),
    );
  });

  it('reads .env in the working directory, and variables that are set win', async () => {
    await using taken = await listen(0);
    await using directory = temporaryDirectory();
    const env = join(directory.path, '.env');
    writeFileSync(env, `# a comment\nGATEWAY_PORT=${taken.port}\nDASHBOARD_PORT=\n`);
    const start = (environment: Record<string, string>) =>
      startWithoutNpm(directory.path, [], environment, directory.path);
    const refused = start({});
    expect(await refused.exitCode).toBe(1);
    expect(refused.errors()).toContain(`port ${taken.port} is taken: choose another one with --port`);
    const other = start({ GATEWAY_PORT: 'none' });
    expect(await other.exitCode).toBe(1);
    expect(other.errors()).toContain('GATEWAY_PORT: expected a port number');
  });

  it('says where options go when npm has kept one for itself', async () => {
    await using directory = temporaryDirectory();
    const start = startWithoutNpm(directory.path, ['9000']);
    expect(await start.exitCode).toBe(1);
    expect(linesOf(start.errors())).toEqual([
      'npm start: cannot understand "9000": options go after "--", as in npm start -- --port 9000',
    ]);
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
    const start = startWithoutNpm(directory.path, ['--catalog', catalogFile]);
    expect(await start.exitCode).toBe(1);
    expect(start.errors()).toContain('models[0].id: ');
    expect(start.errors()).toContain('models[0].tier: ');
    expect(start.errors()).toContain('models[0].upstreams: ');
    expect(start.output()).not.toContain('Model Gateway is running');
  });

  it('refuses to run the embedded parts in production', async () => {
    await using directory = temporaryDirectory();
    const start = startWithoutNpm(directory.path, [], { NODE_ENV: 'production' });
    expect(await start.exitCode).toBe(1);
    expect(linesOf(start.errors())).toEqual([
      expect.stringContaining('npm start is for development, but NODE_ENV is production'),
    ]);
  });
});

/** Makes a paid chat, which costs less than a cent. */
async function paidChat({ base_url: baseUrl, api_key: apiKey }: DevelopmentFile): Promise<void> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'simulated/chat-pro',
      messages: [{ role: 'user', content: 'What does this cost?' }],
    }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

/** Runs gatewayctl in the way that a person types it. */
async function npmRunGatewayctl(dataDir: string, ...args: string[]): Promise<string> {
  const words = ['run', '--silent', 'gatewayctl', '--', '--data-dir', dataDir, ...args];
  const { stdout } = await run('npm', words, { cwd: ROOT });
  return stdout;
}

/** Returns how many records of an account's requests there are. */
async function requestsOf(account: readonly string[], dataDir: string): Promise<number> {
  const since = new Date(Date.now() - 60 * 24 * 3_600_000).toISOString().slice(0, 10);
  const usage = JSON.parse(await gatewayctl(dataDir, 'usage', ...account, '--since', since, '--json'));
  return usage.totals.requests;
}

function signIn(url = '', email = '', password = ''): Promise<number> {
  return post(`${url}/api/auth/sign-in/email`, { email, password });
}

/** Posts to the dashboard as its own pages do. @returns the status of the answer */
async function post(url: string, body: Record<string, string>): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
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
