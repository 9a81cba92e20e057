import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { Program } from '../processes/program.ts';
import type { Target } from './target.ts';

export interface PeerOptions {
  providerUrl: string;
  /** For programs that look up keys and count limits. */
  keysFile?: string;
  redisUrl?: string | undefined;
  /** The folder in which installed peers stay. */
  cacheDir: string;
  environment: Environment;
  logDir: string;
  cores: string | undefined;
}

export interface RunningPeer {
  program: Program;
  /** This URL answers 200 when the peer is ready. */
  readyUrl: string;
  startMs: number;
  target: Target;
}

const STAMP = '.installed';
/** The provider does not check it. Real requests have one. */
export const SOME_KEY = { authorization: `Bearer sk-${'0'.repeat(48)}` };

/** Installs a peer unless the folder has it from the same recipe. */
export async function installedOnce(folder: string, recipe: string, run: () => Promise<void>): Promise<void> {
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === recipe) return;
  await run();
  await mkdir(folder, { recursive: true });
  await writeFile(stamp, recipe);
}

interface PeerProgram {
  name: string;
  command: string;
  /** May write a file of settings first. */
  args: (port: string) => readonly string[] | Promise<readonly string[]>;
  environment: Environment;
  readyPath: string;
  startMs: number;
  target: Pick<Target, 'says' | 'headers' | 'model'>;
}

/** Starts an installed peer on a free port. */
export async function startPeer(peer: PeerProgram, options: PeerOptions): Promise<RunningPeer> {
  const { environment, logDir, cores } = options;
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const { PATH, HOME } = environment;
  const program = await Program.start({
    name: peer.name.toLowerCase(),
    command: peer.command,
    args: await peer.args(`${port}`),
    environment: { PATH, HOME, ...peer.environment },
    logDir,
    cores,
  });
  const target = { ...peer.target, name: peer.name, origin, pid: program.pid, isOurs: false };
  return { program, readyUrl: `${origin}${peer.readyPath}`, startMs: peer.startMs, target };
}
