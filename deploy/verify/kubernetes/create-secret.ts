import { randomBytes } from 'node:crypto';
import type { Cluster } from './cluster.ts';

export async function createSecret(
  cluster: Cluster,
  name: string,
  values: Record<string, string>,
): Promise<void> {
  const literals = Object.entries(values).map(([key, value]) => `--from-literal=${key}=${value}`);
  await cluster.kubectl('create', 'secret', 'generic', name, ...literals);
}

export function randomSecret(): string {
  return randomBytes(36).toString('hex');
}
