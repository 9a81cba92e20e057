import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MODEL } from '../wire/answer-plan.ts';
import { install } from './install.ts';
import { installedOnce, type PeerOptions, type RunningPeer, startPeer } from './peer.ts';

const PACKAGE = 'litellm[proxy]==1.106.2';
const INSTALL_MS = 480_000;
const START_MS = 180_000;

/**
 * LiteLLM's proxy from PyPI, with the advice of its "production" page about speed: only errors in the log, no
 * verbose mode, one worker for the one core that it gets. The master key is checked. Virtual keys, limits and
 * spend records are off: they need a database, and the client that Prisma downloads for Python.
 */
export async function startLiteLlm(options: PeerOptions): Promise<RunningPeer> {
  const { cacheDir, environment, logDir, providerUrl } = options;
  const folder = join(cacheDir, 'litellm');
  const bin = join(folder, 'bin');
  await installedOnce(folder, PACKAGE, async () => {
    await mkdir(cacheDir, { recursive: true });
    const run = { cwd: cacheDir, environment, timeoutMs: INSTALL_MS };
    await install('python3', ['-m', 'venv', folder], run);
    await install(join(bin, 'pip'), ['install', '--quiet', '--disable-pip-version-check', PACKAGE], run);
  });
  const masterKey = `sk-${randomBytes(24).toString('hex')}`;
  const config = join(logDir, 'litellm.yaml');
  // JSON is valid YAML.
  await writeFile(config, JSON.stringify(settings(masterKey, providerUrl)), { mode: 0o600 });
  return startPeer(
    {
      name: 'LiteLLM',
      command: join(bin, 'litellm'),
      args: (port) => ['--config', config, '--host', '127.0.0.1', '--port', port, '--num_workers', '1'],
      environment: {
        LITELLM_MODE: 'PRODUCTION',
        LITELLM_LOG: 'ERROR',
        // Otherwise it downloads a list of prices when it starts.
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      },
      readyPath: '/health/liveliness',
      startMs: START_MS,
      target: {
        says:
          `${PACKAGE}: master key checked; virtual keys, limits and records off (they need a database of ` +
          'its own)',
        headers: { authorization: `Bearer ${masterKey}` },
      },
    },
    options,
  );
}

function settings(masterKey: string, providerUrl: string): object {
  return {
    model_list: [
      {
        model_name: MODEL,
        litellm_params: { model: `openai/${MODEL}`, api_base: `${providerUrl}/v1`, api_key: 'sk-none' },
      },
    ],
    general_settings: { master_key: masterKey },
    litellm_settings: { set_verbose: false, request_timeout: 600, telemetry: false },
  };
}
