import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const secret = z.string().min(32);
const secrets = z.object({ INTERNAL_TOKEN: secret, ADMIN_TOKEN: secret, API_KEY_LOOKUP_PEPPER: secret });
export type Secrets = z.infer<typeof secrets>;

/**
 * What the services of this data directory share. Made once and kept: keys are hashed with the pepper, and would
 * be unknown with another. What the environment sets counts before that.
 */
export function loadSecrets(dataDir: string, environment: Environment): Secrets {
  const path = join(dataDir, 'secrets.json');
  let kept = readJsonFile(path, secrets);
  if (kept === undefined) {
    kept = { INTERNAL_TOKEN: random(), ADMIN_TOKEN: random(), API_KEY_LOOKUP_PEPPER: random() };
    writeJsonFile(path, kept);
  }
  return {
    INTERNAL_TOKEN: environment.INTERNAL_TOKEN || kept.INTERNAL_TOKEN,
    ADMIN_TOKEN: environment.ADMIN_TOKEN || kept.ADMIN_TOKEN,
    API_KEY_LOOKUP_PEPPER: environment.API_KEY_LOOKUP_PEPPER || kept.API_KEY_LOOKUP_PEPPER,
  };
}

function random(): string {
  return randomBytes(32).toString('base64url');
}
