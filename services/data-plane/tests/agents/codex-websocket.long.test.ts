import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { metricOf, withGateway } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { allApis, EVERY_KIND } from '../endpoints/all-apis.ts';
import { codexSettings, fetchCodex, runCodex } from './codex.ts';

/** The real Codex, fetched from npm, over WebSocket. Its frames are those of its own release. */

const gateway = withGateway({ document: allApis });
let program: string;
beforeAll(async () => {
  program = await fetchCodex();
}, 15 * 60_000);

const upgrades = (status: string) =>
  metricOf(gateway.dataPlanes[0], 'gateway_requests_total', {
    route: '/v1/responses (WebSocket)',
    status,
  });
const requests = () => metricOf(gateway.dataPlanes[0], 'gateway_requests_total', { route: '/v1/responses' });

describe.each(EVERY_KIND)('Codex over WebSocket, with a model of %s', (_name, model) => {
  it('runs commands turn by turn, over one connection', async () => {
    const before = { requests: await requests(), upgrades: await upgrades('101') };
    const task = [
      'Create a file and copy it.',
      `use exec_command: ${JSON.stringify({ cmd: `echo 'hello "world"' > out.txt` })}`,
      `use exec_command: ${JSON.stringify({ cmd: 'cat out.txt > copy.txt' })}`,
    ].join('\n');
    await using run = await runCodex(program, {
      baseUrl: gateway.baseUrl,
      model,
      rawKey: gateway.rawKey,
      task,
      webSockets: true,
    });
    const printed = `exit ${run.exitCode}\n${run.answer}\n${run.progress}`;
    expect(run.exitCode, printed).toBe(0);
    expect(await readFile(join(run.folder, 'copy.txt'), 'utf8'), printed).toBe('hello "world"\n');
    expect(run.progress).not.toMatch(/ERROR|Reconnecting/);
    expect(gateway.provider.requests).toHaveLength(3);
    await expect.poll(() => upgrades('101')).toBe(before.upgrades + 1);
    expect((await requests()) - before.requests).toBe(3);
    // Each turn of the conversation contains those before it, though Codex sends only what is new.
    const last = gateway.provider.requests.at(-1)?.bodyText ?? '';
    expect(last).toMatch(/Create a file.*out\.txt.*copy\.txt/s);
  });
});

describe('Codex over WebSocket', () => {
  it('shows its user that credit is missing', async () => {
    const poor = await gateway.admin.call(10_000, 'accounts', 'createAccount', {
      email: 'codex-websocket@example.com',
      name: 'Poor',
    });
    const { rawKey } = await gateway.createKey(poor.id);
    await using run = await runCodex(program, {
      baseUrl: gateway.baseUrl,
      model: 'sim/chat-pro',
      rawKey,
      task: 'Say hello.',
      webSockets: true,
    });
    expect(run.exitCode, run.progress).toBe(1);
    expect(run.progress).toMatch(/402 Payment Required.*This request may cost up to/s);
  });

  it('codex doctor finds nothing wrong with the connection', async () => {
    const home = await mkdtemp(join(tmpdir(), 'gateway-codex-doctor-'));
    await writeFile(join(home, 'config.toml'), codexSettings(gateway.baseUrl, 'sim/chat-free', true));
    const env = { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, GATEWAY_API_KEY: gateway.rawKey };
    const { stdout } = await promisify(execFile)(program, ['doctor', '--json'], { env }).catch(
      (failed: { stdout: string }) => failed,
    );
    const report = JSON.parse(stdout);
    const checks = Object.values(report.checks ?? report).filter((check) =>
      JSON.stringify(check).toLowerCase().includes('websocket'),
    );
    expect(checks, stdout).not.toEqual([]);
    expect(JSON.stringify(checks), stdout).not.toMatch(/"status":"(?:fail|warn)/i);
    await expect.poll(() => upgrades('101')).toBeGreaterThan(0);
  });
});
