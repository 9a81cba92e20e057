import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '@model-gateway/service-kit';
import { z } from 'zod';
import { readJsonFile, writeJsonFile } from './json-file.ts';

const secret = z.string().min(32);
const secrets = z.object({
  INTERNAL_TOKEN: secret,
  ADMIN_TOKEN: secret,
  API_KEY_LOOKUP_PEPPER: secret,
  SESSION_SECRET: secret,
});
export type Secrets = z.infer<typeof secrets>;

/**
 * What the services of this data directory share. Made once and kept: keys are hashed with the pepper, and
 * would be unknown with another. What the environment sets counts before that.
 */
export function loadSecrets(dataDir: string, environment: Environment): Secrets {
  const path = join(dataDir, 'secrets.json');
  // A directory of an earlier version may lack one.
  const kept = readJsonFile(path, secrets.partial()) ?? {};
  const complete = bySecret((name) => kept[name] ?? randomBytes(32).toString('base64url'));
  if (!secrets.safeParse(kept).success) writeJsonFile(path, complete);
  return bySecret((name) => environment[name] || complete[name]);
}

function bySecret(secretOf: (name: keyof Secrets) => string): Secrets {
  return {
    INTERNAL_TOKEN: secretOf('INTERNAL_TOKEN'),
    ADMIN_TOKEN: secretOf('ADMIN_TOKEN'),
    API_KEY_LOOKUP_PEPPER: secretOf('API_KEY_LOOKUP_PEPPER'),
    SESSION_SECRET: secretOf('SESSION_SECRET'),
  };
}
