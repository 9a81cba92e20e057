import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import type { Program } from '../processes/program.ts';
import type { Target } from './target.ts';

export interface PeerOptions {
  providerUrl: string;
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

/** Installs, unless the folder already holds what `recipe` says. */
export async function installedOnce(folder: string, recipe: string, run: () => Promise<void>): Promise<void> {
  const stamp = join(folder, STAMP);
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === recipe) return;
  await run();
  await mkdir(folder, { recursive: true });
  await writeFile(stamp, recipe);
}
