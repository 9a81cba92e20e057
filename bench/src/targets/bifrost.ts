import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MODEL } from '../wire/answer-plan.ts';
import { install } from './install.ts';
import { installedOnce, type PeerOptions, type RunningPeer, startPeer } from './peer.ts';

const MODULE = 'github.com/maximhq/bifrost/transports/bifrost-http@latest';
const INSTALL_MS = 480_000;
const START_MS = 60_000;

/**
 * Bifrost's HTTP transport, built with Go and configured by a file as its documentation shows. It stores
 * nothing.
 */
export async function startBifrost(options: PeerOptions): Promise<RunningPeer> {
  const { cacheDir, environment, logDir, providerUrl } = options;
  const folder = join(cacheDir, 'bifrost');
  await installedOnce(folder, MODULE, async () => {
    await mkdir(folder, { recursive: true });
    const withBin = { ...environment, GOBIN: folder };
    await install('go', ['install', MODULE], { cwd: folder, environment: withBin, timeoutMs: INSTALL_MS });
  });
  const appDir = join(logDir, 'bifrost');
  await mkdir(appDir, { recursive: true });
  await writeFile(join(appDir, 'config.json'), JSON.stringify(settings(providerUrl)), { mode: 0o600 });
  return startPeer(
    {
      name: 'Bifrost',
      command: join(folder, 'bifrost-http'),
      args: (port) => ['-app-dir', appDir, '-host', '127.0.0.1', '-port', port, '-log-level', 'error'],
      environment: { GOMAXPROCS: '1' },
      readyPath: '/health',
      startMs: START_MS,
      target: {
        says: `${MODULE}: from a file, no stores; keys, limits and records off`,
        headers: {},
        model: `openai/${MODEL}`,
      },
    },
    options,
  );
}

function settings(providerUrl: string): object {
  return {
    client: { drop_excess_requests: false, enable_logging: false },
    providers: {
      openai: {
        keys: [{ name: 'bench', value: 'sk-none', models: ['*'], weight: 1 }],
        network_config: { base_url: providerUrl, allow_private_network: true },
        concurrency_and_buffer_size: { concurrency: 1_000, buffer_size: 5_000 },
      },
    },
    config_store: { enabled: false },
    logs_store: { enabled: false },
  };
}
