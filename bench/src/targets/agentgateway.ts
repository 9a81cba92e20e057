import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MODEL } from '../wire/answer-plan.ts';
import { install } from './install.ts';
import { installedOnce, type PeerOptions, type RunningPeer, startPeer } from './peer.ts';

const REPOSITORY = 'https://github.com/agentgateway/agentgateway';
const TAG = 'v1.4.1';
const INSTALL_MS = 600_000;
const START_MS = 30_000;

/** The gateway in Rust, built with cargo and configured by a file like that of its `llm-basic` example. */
export async function startAgentgateway(options: PeerOptions): Promise<RunningPeer> {
  const { cacheDir, environment, logDir, providerUrl } = options;
  const folder = join(cacheDir, 'agentgateway');
  await installedOnce(folder, TAG, async () => {
    await mkdir(folder, { recursive: true });
    const from = ['--git', REPOSITORY, '--tag', TAG, '--locked', '--root', folder];
    const run = { cwd: folder, environment, timeoutMs: INSTALL_MS };
    await install('cargo', ['install', ...from, 'agentgateway-app'], run);
  });
  const file = join(logDir, 'agentgateway.json');
  return startPeer(
    {
      name: 'agentgateway',
      command: join(folder, 'bin', 'agentgateway'),
      args: async (port) => {
        // JSON is valid YAML.
        await writeFile(file, JSON.stringify(settings(Number(port), providerUrl)));
        return ['-f', file];
      },
      environment: { RUST_LOG: 'error' },
      readyPath: '/v1/models',
      startMs: START_MS,
      target: { says: `agentgateway ${TAG}: from a file, one worker; no keys or limits`, headers: {} },
    },
    options,
  );
}

function settings(port: number, providerUrl: string): object {
  const params = { model: MODEL, apiKey: 'sk-none', baseUrl: `${providerUrl}/v1` };
  return {
    config: { workerThreads: 1 },
    llm: { port, models: [{ name: MODEL, provider: 'openAI', params }] },
  };
}
