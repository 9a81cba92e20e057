import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { freePort } from '@model-gateway/test-kit/free-port';
import { z } from 'zod';
import { type CommandOptions, type CommandResult, run, tryCommand } from './command.ts';
import { IMAGES } from './kubernetes/images.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROJECT = 'model-gateway-verify';
/** Tag of the images, which keeps those of a running installation. */
const VERSION = 'verify';
/** Format of `docker inspect` that prints the names of a container's networks. */
const NETWORKS = '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}';
const BUILD_TIMEOUT_MS = 900_000;
const UP_TIMEOUT_MS = 600_000;

const container = z.object({ ID: z.string(), Name: z.string(), Service: z.string(), State: z.string() });
export type Container = z.infer<typeof container>;

interface Ports {
  port: number;
  dashboardPort: number;
}

/** The stack of docker-compose.yml, with its own project name, ports and secrets. */
export class Stack {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gateway-verify-'));
  readonly #env: NodeJS.ProcessEnv;
  readonly #interruption: AbortController;
  readonly baseUrl: string;
  readonly dashboardUrl: string;

  /** @param interruption aborts everything except `down` */
  static async create(settings: Record<string, string>, interruption: AbortController): Promise<Stack> {
    const [port, dashboardPort] = await Promise.all([freePort(), freePort()]);
    return new Stack({ port, dashboardPort }, settings, interruption);
  }

  private constructor(
    { port, dashboardPort }: Ports,
    settings: Record<string, string>,
    interruption: AbortController,
  ) {
    this.#interruption = interruption;
    this.baseUrl = `http://127.0.0.1:${port}`;
    this.dashboardUrl = `http://localhost:${dashboardPort}`;
    this.#env = {
      ...dockerEnvironment(),
      ...settings,
      GATEWAY_VERSION: VERSION,
      GATEWAY_PORT: String(port),
      DASHBOARD_PORT: String(dashboardPort),
      COMPOSE_PROFILES: 'simulated,dashboard',
    };
  }

  get signal(): AbortSignal {
    return this.#interruption.signal;
  }

  get #commandOptions(): CommandOptions {
    return { env: this.#env, signal: this.signal };
  }

  get #envFile(): string {
    return join(this.#folder, 'env');
  }

  /** Builds and starts everything, and waits until it is healthy. */
  async up(): Promise<{ buildMs: number; startMs: number }> {
    await run('sh', [join(ROOT, 'deploy/make-env.sh'), this.#envFile]);
    // An earlier run may have been killed.
    await this.#remove();
    const startedAt = performance.now();
    await this.compose(['--profile', 'tools', 'build'], { timeoutMs: BUILD_TIMEOUT_MS });
    const builtAt = performance.now();
    await this.compose(['up', '--detach', '--wait'], { timeoutMs: UP_TIMEOUT_MS });
    return { buildMs: builtAt - startedAt, startMs: performance.now() - builtAt };
  }

  async down(): Promise<void> {
    await this.#remove();
    await tryCommand('docker', ['image', 'rm', ...IMAGES.map((name) => `model-gateway/${name}:${VERSION}`)], {
      env: this.#env,
    });
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #remove(): Promise<void> {
    const options = { env: this.#env };
    // `down` does not remove frozen containers and those of `compose run`.
    const label = `label=com.docker.compose.project=${PROJECT}`;
    const found = await run('docker', ['ps', '--all', '--quiet', '--filter', label], options);
    const ids = found.split('\n').filter((id) => id !== '');
    if (ids.length > 0) await tryCommand('docker', ['rm', '--force', '--volumes', ...ids], options);
    await run('docker', [...this.#composeArgs, 'down', '--volumes', '--remove-orphans'], options);
  }

  compose(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return run('docker', [...this.#composeArgs, ...args], { ...options, ...this.#commandOptions });
  }

  get #composeArgs(): string[] {
    return ['compose', '--project-name', PROJECT, '--project-directory', ROOT, '--env-file', this.#envFile];
  }

  docker(...args: string[]): Promise<string> {
    return run('docker', args, this.#commandOptions);
  }

  tryDocker(...args: string[]): Promise<CommandResult> {
    return tryCommand('docker', args, this.#commandOptions);
  }

  /** Runs deploy/roll.sh on this stack. */
  roll(): Promise<string> {
    const env = { ...this.#env, COMPOSE: `docker ${this.#composeArgs.join(' ')}` };
    const options = { ...this.#commandOptions, env, timeoutMs: UP_TIMEOUT_MS };
    return run('sh', [join(ROOT, 'deploy/roll.sh')], options);
  }

  scale(replicas: number): Promise<string> {
    const scale = ['--scale', `data-plane=${replicas}`];
    return this.compose(['up', '--detach', '--wait', '--no-recreate', ...scale, 'data-plane']);
  }

  /** Returns the containers of all services or of one, including stopped ones. */
  async containers(service?: string): Promise<Container[]> {
    const out = await this.compose(['ps', '--all', '--format', 'json', ...(service ? [service] : [])]);
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => container.parse(JSON.parse(line)));
  }

  async container(service: string): Promise<Container> {
    const [first] = await this.containers(service);
    if (first === undefined) throw new Error(`there is no container of ${service}`);
    return first;
  }

  /**
   * Kills a container's process from the host: `docker kill` would prevent the restart, and nothing in the
   * container can send SIGKILL to its process 1.
   */
  async crash({ ID }: Container): Promise<void> {
    const pid = (await this.docker('inspect', '--format', '{{.State.Pid}}', ID)).trim();
    const script = `process.kill(${Number(pid)}, 'SIGKILL')`;
    const options = [
      '--rm',
      '--pid=host',
      '--user=0',
      '--cap-drop=ALL',
      '--cap-add=KILL',
      '--entrypoint=node',
    ];
    await this.docker('run', ...options, `model-gateway/gatewayctl:${VERSION}`, '-e', script);
  }

  /** Runs a Node script (with `await`) in a container on a service's first network. @returns its id */
  async startBeside(service: string, script: string): Promise<string> {
    const { ID } = await this.container(service);
    const [network = ''] = (await this.docker('inspect', '--format', NETWORKS, ID)).split(' ');
    const options = ['--detach', `--network=${network}`, `--label=com.docker.compose.project=${PROJECT}`];
    const program = `(async () => {${script}})()`;
    const image = `model-gateway/gatewayctl:${VERSION}`;
    return (await this.docker('run', ...options, '--entrypoint=node', image, '-e', program)).trim();
  }

  /** Returns a path for a file that `down` removes. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  addSettings(settings: Record<string, string>): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    appendFileSync(this.#envFile, lines.join(''));
  }

  /** Runs a gatewayctl command. @returns its JSON output. @throws when it fails */
  async gatewayctl(...args: string[]): Promise<unknown> {
    return JSON.parse(await this.compose(['run', '--rm', '-T', 'gatewayctl', '--json', ...args]));
  }
}

/** Returns the environment for docker, without settings of the shell that would reach the stack. */
function dockerEnvironment(): NodeJS.ProcessEnv {
  const kept = /^(PATH|HOME|USER|TMPDIR|DOCKER_.*|BUILDKIT_.*|BUILDX_.*|XDG_.*|SSH_AUTH_SOCK|.*_proxy)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.test(name)));
}
