import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { recordOf } from '@model-gateway/shared';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const NAMES = ['INTERNAL_TOKEN', 'ADMIN_TOKEN', 'API_KEY_LOOKUP_PEPPER', 'SESSION_SECRET'] as const;
const secrets = z.object(recordOf(NAMES.map((name) => [name, z.string().min(32)] as const)));
export type Secrets = z.infer<typeof secrets>;

/**
 * Returns the secrets that the services of this data directory share. They are created once and stored,
 * because keys are hashed with the pepper: with another one, no key would be found. Values of the
 * environment come first.
 */
export function loadSecrets(dataDir: string, environment: Environment): Secrets {
  const path = join(dataDir, 'secrets.json');
  // A directory of an earlier version may lack one of the secrets.
  const stored = readJsonFile(path, secrets.partial()) ?? {};
  const complete = bySecret((name) => stored[name] ?? randomBytes(32).toString('base64url'));
  if (!secrets.safeParse(stored).success) writeJsonFile(path, complete);
  return bySecret((name) => environment[name] || complete[name]);
}

function bySecret(secretOf: (name: keyof Secrets) => string): Secrets {
  return recordOf(NAMES.map((name) => [name, secretOf(name)] as const));
}
