import { z } from 'zod';
import type { Gateway } from '../gateway/gateway.ts';
import { nodeProgram, type Program, type ProgramOptions } from '../processes/program.ts';
import { SOME_KEY } from './peer.ts';
import type { Target } from './target.ts';

const START_MS = 30_000;

type StartOptions = Pick<ProgramOptions, 'environment' | 'logDir' | 'cores'>;

export interface RunningServer {
  program: Program;
  url: string;
}

export async function startProvider(options: StartOptions): Promise<RunningServer> {
  return await startServer({ ...options, name: 'provider', file: 'bench/src/programs/provider.ts' });
}

export async function startBareProxy(options: StartOptions, providerUrl: string): Promise<RunningServer> {
  const file = 'bench/src/programs/bare-proxy.ts';
  return await startServer({ ...options, name: 'bare-proxy', file, args: [providerUrl] });
}

export function directTarget({ url }: RunningServer): Target {
  return { name: 'direct', says: 'no gateway at all', origin: url, headers: SOME_KEY, isOurs: true };
}

export function bareProxyTarget({ url, program }: RunningServer): Target {
  const says = 'bare Node reverse proxy: http.createServer, http.request, pipe';
  return { name: 'bare proxy', says, origin: url, headers: SOME_KEY, pid: program.pid, isOurs: true };
}

export function gatewayTarget(gateway: Gateway, keys: number): Target {
  const limits = gateway.redis === undefined ? 'limits in memory (no redis-server here)' : 'limits in Redis';
  return {
    name: 'gateway',
    says: `this gateway: ${keys} keys, ${limits}, billing, usage records, access log to a file`,
    origin: gateway.url,
    headers: {},
    keysFile: gateway.keysFile,
    expectHeader: 'x-ratelimit-limit-requests',
    pid: gateway.pid,
    isGateway: true,
    isOurs: true,
  };
}

/** Returns the target for another data plane of the gateway, with the keys and features of the first. */
export function anotherTarget(
  target: Target,
  { program, url }: RunningServer,
  { name, says }: Pick<Target, 'name' | 'says'>,
): Target {
  return { ...target, name, says, origin: url, pid: program.pid };
}

export async function startServer(
  options: StartOptions & { name: string; file: string; args?: readonly string[] },
): Promise<RunningServer> {
  const program = await nodeProgram({ ...options, ipc: true });
  try {
    const { port } = z.object({ port: z.int() }).parse(await program.firstMessage(START_MS));
    return { program, url: `http://127.0.0.1:${port}` };
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}
