import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@model-gateway/test-kit/free-port';
import { Program } from '../processes/program.ts';
import { install } from './install.ts';
import { installedOnce, type PeerOptions, type RunningPeer } from './peer.ts';

const MANIFESTS = fileURLToPath(new URL('../../peers/portkey/', import.meta.url));
const INSTALL_MS = 120_000;
const START_MS = 60_000;

/**
 * The npm package @portkey-ai/gateway, started as its README says, without its console (`--headless`). The
 * open version has no keys, limits or records: it passes on whatever the caller presents.
 */
export async function startPortkey(options: PeerOptions): Promise<RunningPeer> {
  const { cacheDir, environment, logDir, cores, providerUrl } = options;
  const folder = join(cacheDir, 'portkey');
  const lock = await readFile(join(MANIFESTS, 'package-lock.json'), 'utf8');
  await installedOnce(folder, lock, async () => {
    await mkdir(folder, { recursive: true });
    for (const file of ['package.json', 'package-lock.json']) {
      await copyFile(join(MANIFESTS, file), join(folder, file));
    }
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    await install('npm', args, { cwd: folder, environment, timeoutMs: INSTALL_MS });
  });
  const home = join(folder, 'node_modules', '@portkey-ai', 'gateway');
  const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  const port = await freePort();
  const program = await Program.start({
    name: 'portkey',
    command: process.execPath,
    args: [join(home, 'build', 'start-server.js'), '--headless', `--port=${port}`],
    environment: { PATH: environment.PATH, HOME: environment.HOME, NODE_ENV: 'production' },
    logDir,
    cores,
  });
  return {
    program,
    readyUrl: `http://127.0.0.1:${port}/`,
    startMs: START_MS,
    target: {
      name: 'Portkey',
      says: `@portkey-ai/gateway ${version}: no keys, limits or records (its open version has none)`,
      origin: `http://127.0.0.1:${port}`,
      headers: {
        authorization: `Bearer sk-${'0'.repeat(48)}`,
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `${providerUrl}/v1`,
      },
      pid: program.pid,
      isOurs: false,
    },
  };
}
