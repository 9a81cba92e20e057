import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '@model-gateway/service-kit';
import type { ConnectionFile } from './connection-settings.ts';

/** Reads dev.json of a data directory, if there is one. @throws ConfigError when it cannot be read */
export async function readConnectionFile(dataDir: string): Promise<ConnectionFile | undefined> {
  const path = join(dataDir, 'dev.json');
  try {
    return { path, text: await readFile(path, 'utf8') };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}
