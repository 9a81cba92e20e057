import type { IContainer } from 'kubernetes-models/v1';
import { readKustomization, readManifests } from './read-manifests.ts';

/** Secrets with a format; others only need to be long enough. */
const SECRET_VALUES: Record<string, string> = {
  DATABASE_URL: 'postgresql://gateway:secret@postgres:5432/gateway',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtp://gateway:secret@mail.example.com:587',
};

/**
 * Returns a container's environment, with the example's ConfigMap and made-up secrets.
 * @throws when it refers to something that the example lacks
 */
export function containerEnvironment({ env = [] }: IContainer): Record<string, string> {
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      if (value !== undefined) return [[name, value]];
      const setting = valueFrom?.configMapKeyRef;
      if (setting !== undefined) {
        const given = exampleSetting(setting.name ?? '', setting.key);
        if (given === undefined && setting.optional === true) return [];
        if (given === undefined)
          throw new Error(`the example's ConfigMap ${setting.name} has no ${setting.key}`);
        return [[name, given]];
      }
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined) throw new Error(`${name} has no value`);
      const isThere = exampleSecretKeys(secret.name ?? '').includes(secret.key);
      if (!isThere && secret.optional === true) return [];
      if (!isThere) throw new Error(`${name}: the example of the Secret ${secret.name} has no ${secret.key}`);
      return [[name, SECRET_VALUES[secret.key] ?? secret.key.padEnd(64, '.')]];
    }),
  );
}

function exampleSetting(configMap: string, key: string): string | undefined {
  const generator = readKustomization('example').configMapGenerator.find(({ name }) => name === configMap);
  const literal = generator?.literals.find((each) => each.startsWith(`${key}=`));
  return literal?.slice(key.length + 1);
}

function exampleSecretKeys(secret: string): string[] {
  const manifest = readManifests('example/secret.example.yaml').find(
    ({ metadata }) => metadata.name === secret,
  );
  return Object.keys(manifest?.stringData ?? {});
}
