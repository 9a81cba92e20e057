import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gatewayctl, MAIN, runProcess, runWith, startGatewayctl } from './gatewayctl-fixture.ts';

/** Nothing listens on the discard port of a machine that runs tests. */
const NOWHERE = '127.0.0.1:9';

let gatewayctl: Gatewayctl;

beforeAll(async () => {
  gatewayctl = await startGatewayctl();
});
afterAll(() => gatewayctl[Symbol.asyncDispose]());

describe('the program gatewayctl', () => {
  it('exits with 2 and one line for a wrong command line', async () => {
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

  it('accepts the global options before the command, between its words, and after it', async () => {
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

  it('prints "none" for an empty list, but not with --json', async () => {
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

  it('finds the gateway of npm start by its data directory', async () => {
    const { CONTROL_PLANE_ADDRESS, ADMIN_TOKEN } = gatewayctl.environment;
    const content = {
      control_plane_address: CONTROL_PLANE_ADDRESS,
      admin_token: ADMIN_TOKEN,
      pids: { x: 1 },
    };
    gatewayctl.file('dev.json', JSON.stringify(content));
    for (const [environment, ...args] of [
      [{}, '--data-dir', gatewayctl.folder],
      [{ GATEWAY_DATA_DIR: gatewayctl.folder }],
    ] as const) {
      expect(await runWith(environment, ['accounts', 'list', '--json', ...args])).toMatchObject({ code: 0 });
    }
  });

  it('names an address that does not respond, and what to do', async () => {
    const { code, out, err } = await runWith({ CONTROL_PLANE_ADDRESS: NOWHERE }, ['status']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^gatewayctl: .*127\.0\.0\.1:9 .*ECONNREFUSED.*npm start.*--control-plane.*\n$/);
  });

  it('calls the next control plane when one does not respond', async () => {
    const { CONTROL_PLANE_ADDRESS } = gatewayctl.environment;
    const args = ['accounts', 'list', '--control-plane', `${NOWHERE},${CONTROL_PLANE_ADDRESS}`];
    expect(await gatewayctl.run(args)).toMatchObject({ code: 0, err: '' });
  });

  it('reports a wrong admin token', async () => {
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
