import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@model-gateway/test-kit/free-port';
import { z } from 'zod';
import { run, tryCommand } from '../command.ts';
import type { Check } from '../report.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NAME = 'model-gateway-verify-all-in-one';
const IMAGE = 'model-gateway/all-in-one:verify';
const HEALTHY_MS = 180_000;
/** Docker kills a container ten seconds after SIGTERM. */
const STOP_MS = 9_000;
/** Passes no other setting of this shell to Docker. */
const { PATH, HOME, DOCKER_HOST, DOCKER_CONFIG } = process.env;
const env = { PATH, HOME, DOCKER_HOST, DOCKER_CONFIG };

const inspected = z
  .array(
    z.object({
      State: z.object({ ExitCode: z.number(), Health: z.object({ Status: z.string() }).optional() }),
      Config: z.object({ User: z.string() }),
    }),
  )
  .length(1)
  .transform(([container]) => container);

/**
 * Checks the image `all-in-one`: a first call with the printed curl line, a wrong key, a restart that keeps
 * the data, and a clean end.
 */
export async function allInOne(check: Check): Promise<void> {
  await remove();
  await docker(
    'build',
    '--quiet',
    '--file',
    `${ROOT}/deploy/Dockerfile`,
    '--target',
    'all-in-one',
    '--tag',
    IMAGE,
    ROOT,
  );
  const [port, dashboardPort] = await Promise.all([freePort(), freePort()]);
  const ports = [`--publish=127.0.0.1:${port}:8080`, `--publish=127.0.0.1:${dashboardPort}:8090`];
  const hardened = ['--cap-drop=ALL', '--security-opt=no-new-privileges'];
  await docker('run', '--detach', `--name=${NAME}`, `--volume=${NAME}:/data`, ...ports, ...hardened, IMAGE);
  try {
    const startedAt = performance.now();
    await untilHealthy();
    const state = await inspect();
    check('all in one: healthy, not root', state?.Config.User === 'node', seconds(startedAt));

    // The gateway is healthy shortly before it prints.
    await untilPrinted('Stop it');
    const [, curl = '', key = ''] =
      /^curl (\S+) -H "Authorization: Bearer (gw_live_\w+)"/m.exec(await logs()) ?? [];
    const url = curl.replace(':8080/', `:${port}/`);
    const first = await chat(url, key);
    const wrong = await chat(url, `${key.slice(0, -1)}_`);
    check('all in one: first call, and a wrong key', first === 200 && wrong === 401, `${first}, ${wrong}`);
    const pages = await Promise.all(
      [`${port}/docs/guide/`, `${dashboardPort}/`].map((address) => fetch(`http://127.0.0.1:${address}`)),
    );
    check(
      'all in one: docs and dashboard',
      pages.every(({ ok }) => ok),
      pages.map(({ status }) => status).join(),
    );

    const stoppedAt = performance.now();
    await docker('stop', NAME);
    const stopMs = performance.now() - stoppedAt;
    const code = (await inspect())?.State.ExitCode;
    check(
      'all in one: SIGTERM ends it',
      code === 0 && stopMs < STOP_MS,
      `exit ${code}, ${seconds(stoppedAt)}`,
    );
    await docker('start', NAME);
    await untilHealthy();
    const again = await chat(url, key);
    const status = await docker('exec', NAME, 'gatewayctl', 'verify-ledger');
    check('all in one: a restart keeps key and ledger', again === 200, `${again}; ${status.trim()}`);
  } finally {
    await remove();
    await tryCommand('docker', ['image', 'rm', IMAGE], { env });
  }
}

function docker(...args: string[]): Promise<string> {
  return run('docker', args, { env, timeoutMs: 900_000 });
}

async function remove(): Promise<void> {
  await tryCommand('docker', ['rm', '--force', NAME], { env });
  await tryCommand('docker', ['volume', 'rm', NAME], { env });
}

async function inspect() {
  return inspected.parse(JSON.parse(await docker('inspect', NAME)));
}

async function untilHealthy(): Promise<void> {
  for (const deadline = performance.now() + HEALTHY_MS; performance.now() < deadline; await wait(500)) {
    if ((await inspect())?.State.Health?.Status === 'healthy') return;
  }
  throw new Error(`not healthy after ${HEALTHY_MS} ms:\n${await logs()}`);
}

function logs(): Promise<string> {
  return docker('logs', NAME);
}

async function untilPrinted(text: string): Promise<void> {
  for (const deadline = performance.now() + HEALTHY_MS; performance.now() < deadline; await wait(500)) {
    if ((await logs()).includes(text)) return;
  }
  throw new Error(`${text} was not printed:\n${await logs()}`);
}

async function chat(url: string, key: string): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'simulated/chat-free',
      messages: [{ role: 'user', content: 'Say hello.' }],
    }),
  });
  return status;
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1_000).toFixed(1)} s`;
}
