import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.ts';
import { installedOnce, type PeerOptions, type RunningPeer, startPeer } from './peer.ts';

const MANIFESTS = fileURLToPath(new URL('../../peers/portkey/', import.meta.url));
const INSTALL_MS = 120_000;
const START_MS = 60_000;

/**
 * The npm package @portkey-ai/gateway, started as its README says, without its console (`--headless`). The
 * open version has no keys, limits or records: it passes on whatever the caller presents.
 */
export async function startPortkey(options: PeerOptions): Promise<RunningPeer> {
  const { cacheDir, environment, providerUrl } = options;
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
  return startPeer(
    {
      name: 'Portkey',
      command: process.execPath,
      args: (port) => [join(home, 'build', 'start-server.js'), '--headless', `--port=${port}`],
      environment: { NODE_ENV: 'production' },
      readyPath: '/',
      startMs: START_MS,
      target: {
        says: `@portkey-ai/gateway ${version}: no keys, limits or records (its open version has none)`,
        headers: {
          authorization: `Bearer sk-${'0'.repeat(48)}`,
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': `${providerUrl}/v1`,
        },
      },
    },
    options,
  );
}
