import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, runWith, startGatewayctl } from './gatewayctl-fixture.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
/** Nothing listens on the discard port of a machine that runs tests. */
const NOWHERE = '127.0.0.1:9';

let gatewayctl: Gatewayctl;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatewayctl-'));
  gatewayctl = await startGatewayctl();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gatewayctl[Symbol.asyncDispose]();
});

describe('the program gatewayctl', () => {
  it('exits 2 with a line of its own when it does not understand the command line', async () => {
    const misunderstood = [
      ['nonsense'],
      ['accounts', 'create'],
      ['accounts', 'list', '--unknown'],
      ['keys', 'revoke'],
      ['keys', 'revoke', 'key_1', 'key_2'],
      ['catalog', 'apply', '-f'],
    ];
    for (const args of misunderstood) {
      const { code, out, err } = await runWith({}, args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^error: .+\n/);
    }
    for (const args of [[], ['keys']]) {
      expect(await runWith({}, args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/^Usage: /),
      });
    }
  });

  it('prints help and version on standard output', async () => {
    for (const args of [['--help'], ['keys', 'create', '--help'], ['--version']]) {
      const { code, out, err } = await runWith({}, args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).not.toBe('');
    }
  });

  it('takes the global options before the command, between its words, and after it', async () => {
    const { CONTROL_PLANE_ADDRESS, ADMIN_TOKEN } = gatewayctl.environment;
    const flags = ['--control-plane', CONTROL_PLANE_ADDRESS, '--admin-token', ADMIN_TOKEN, '--json'];
    for (const args of [
      [...flags, 'accounts', 'list'],
      ['accounts', ...flags, 'list'],
      ['accounts', 'list', ...flags],
    ]) {
      const wrong = { CONTROL_PLANE_ADDRESS: NOWHERE, ADMIN_TOKEN: 'x'.repeat(32) };
      expect(await runWith(wrong, args)).toEqual({ code: 0, out: '[]\n', err: '' });
    }
  });

  it('says that a list has no rows, where no script reads it', async () => {
    await gatewayctl.run(['accounts', 'create', '--email', 'none@example.com']);
    const none = [
      ['accounts', 'list', '--search', 'nobody has this'],
      ['keys', 'list', 'none@example.com'],
      ['receipts', 'list', 'none@example.com'],
    ];
    for (const args of none) {
      expect(await gatewayctl.run(args)).toMatchObject({ code: 0, err: 'none\n' });
      expect(await gatewayctl.run([...args, '--json'])).toEqual({ code: 0, out: '[]\n', err: '' });
    }
  });

  it('finds a gateway that npm start runs by its data directory', async () => {
    const { CONTROL_PLANE_ADDRESS, ADMIN_TOKEN } = gatewayctl.environment;
    const content = {
      control_plane_address: CONTROL_PLANE_ADDRESS,
      admin_token: ADMIN_TOKEN,
      pids: { x: 1 },
    };
    writeFileSync(join(folder, 'dev.json'), JSON.stringify(content));
    for (const [environment, ...args] of [
      [{}, '--data-dir', folder],
      [{ GATEWAY_DATA_DIR: folder }],
    ] as const) {
      expect(await runWith(environment, ['accounts', 'list', '--json', ...args])).toMatchObject({ code: 0 });
    }
  });

  it('names the address that does not answer, and what to do', async () => {
    const { code, out, err } = await runWith({ CONTROL_PLANE_ADDRESS: NOWHERE }, ['status']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^gatewayctl: .*127\.0\.0\.1:9 .*ECONNREFUSED.*npm start.*--control-plane.*\n$/);
  });

  it('goes on to the next control plane when one does not answer', async () => {
    const { CONTROL_PLANE_ADDRESS } = gatewayctl.environment;
    const args = ['accounts', 'list', '--control-plane', `${NOWHERE},${CONTROL_PLANE_ADDRESS}`];
    expect(await gatewayctl.run(args)).toMatchObject({ code: 0, err: '' });
  });

  it('says so when the admin token is wrong', async () => {
    const { code, err } = await gatewayctl.run(['accounts', 'list', '--admin-token', 'x'.repeat(40)]);
    expect(code).toBe(1);
    expect(err).toMatch(/^gatewayctl: .*admin token.*ADMIN_TOKEN.*\n$/);
  });

  it('runs as a process: a key into a variable, a catalog from a pipe, exit codes', async () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, ...gatewayctl.environment };
    await gatewayctl.run(['accounts', 'create', '--email', 'process@example.com']);
    const created = await runProcess(
      ['keys', 'create', '--account', 'process@example.com', '--name', 'p'],
      env,
    );
    expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^gw_live_\w{49}\n$/) });

    const apply = spawn(process.execPath, [MAIN, 'catalog', 'apply', '-f', '-', '--json'], { env });
    apply.stdin.end('providers: []\nmodels: []\n');
    const [out, [code]] = await Promise.all([text(apply.stdout), once(apply, 'exit')]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ dry_run: false });

    expect(await runProcess(['keys', 'revoke', 'key_nothing'], env)).toMatchObject({ code: 1, out: '' });
    expect(await runProcess(['nonsense'], env)).toMatchObject({ code: 2, out: '' });
  });
});

function runProcess(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}
