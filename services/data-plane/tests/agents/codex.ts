import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { installedOnce, runInstaller } from './fetched-package.ts';
import tried from './tried-programs.json' with { type: 'json' };

const PACKAGE = `@openai/codex@${tried.npm['@openai/codex']}`;
const RUN_MS = 5 * 60_000;

/** Fetches Codex from npm, once. @returns its program */
export async function fetchCodex(): Promise<string> {
  const folder = await installedOnce('codex', PACKAGE, async (into) => {
    await writeFile(join(into, 'package.json'), '{"private":true}');
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', PACKAGE];
    await runInstaller('npm', args, into);
  });
  return join(folder, 'node_modules', '.bin', 'codex');
}

export interface CodexRun extends AsyncDisposable {
  exitCode: number | null;
  /** The final message, which its user reads. */
  answer: string;
  /** The rest that its user reads: actions and failures. */
  progress: string;
  /** The folder in which it worked. */
  folder: string;
  /** Continues the conversation with another task and another model. */
  continueWith(model: string, task: string): Promise<CodexRun>;
}

/** The lines of config.toml that docs/clients.md, "Codex", has. */
export function codexSettings(baseUrl: string, model: string, webSockets: boolean): string {
  return `model = "${model}"
model_provider = "gateway"

[model_providers.gateway]
name = "Gateway"
base_url = "${baseUrl}/v1"
env_key = "GATEWAY_API_KEY"
wire_api = "responses"
supports_websockets = ${webSockets}
`;
}

export interface CodexOptions {
  baseUrl: string;
  model: string;
  rawKey: string;
  task: string;
  webSockets?: boolean;
}

/** Runs Codex with one task, in an empty folder and with an empty home folder. */
export async function runCodex(
  program: string,
  { baseUrl, model, rawKey, task, webSockets = false }: CodexOptions,
): Promise<CodexRun> {
  const scratch = await mkdtemp(join(tmpdir(), 'gateway-codex-'));
  const [folder, home] = [join(scratch, 'work'), join(scratch, 'home')];
  await mkdir(folder);
  await mkdir(home);
  await writeFile(join(home, 'config.toml'), codexSettings(baseUrl, model, webSockets));
  const run = async (...args: readonly string[]): Promise<CodexRun> => {
    const options = ['--skip-git-repo-check', '--sandbox', 'danger-full-access'];
    const child = spawn(program, ['exec', ...options, ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: home, CODEX_HOME: home, GATEWAY_API_KEY: rawKey },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
    });
    const [answer, progress, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return {
      exitCode,
      answer,
      progress,
      folder,
      continueWith: (other, next) => run('resume', '--last', '--model', other, next),
      [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
    };
  };
  return run(task);
}
