import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Environment } from './parse-config.ts';

/** Settings that several services have. Each service builds its own schema from them. */

export function isProduction(environment: Environment): boolean {
  return environment.NODE_ENV === 'production';
}

/** A misspelt "production" is an error: it must not quietly mean development, whose secrets are public. */
export const nodeEnvSetting = z
  .enum(['development', 'test', 'production'], 'expected development, test or production')
  .default('development');

/** The Redis that counts limits. Without it each process counts alone, so production requires it. */
export function redisUrlSetting(production: boolean) {
  const url = z
    .string('is required when NODE_ENV=production: the URL of a Redis that all replicas share')
    .regex(
      /^rediss?:\/\/[^\s,]+(,rediss?:\/\/[^\s,]+)*$/,
      'expected redis://host:port (several: separated by commas)',
    );
  return production ? url : url.optional();
}

/** Number of processes that share the limits. While Redis is down, each allows its share. */
export const expectedReplicasSetting = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, 'expected a whole number of at least 1')
  .transform(Number)
  .default(1);

/** A TCP port; 0 lets the operating system choose one. */
export function portSetting(defaultPort: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'expected a port number (0 to 65535)')
    .transform(Number)
    .refine((port) => port <= 65_535, 'expected a port number (0 to 65535)')
    .default(defaultPort);
}

/** The address to listen on: all in production (a container), only this machine in development. */
export function hostSetting(production: boolean) {
  return z.string().default(production ? '0.0.0.0' : '127.0.0.1');
}

/** `host:port`, several separated by commas. */
export function addressListSetting(defaultAddress: string) {
  return z
    .string()
    .transform((text) => text.split(',').map((address) => address.trim()))
    .pipe(
      z
        .array(
          z
            .string()
            .regex(
              /^(\[[0-9A-Fa-f:.]+\]|[^\s:/]+):\d{1,5}$/,
              'expected host:port (several: separated by commas)',
            ),
        )
        .min(1),
    )
    .default([defaultAddress]);
}

const MIN_SECRET_BYTES = 32;
const TOO_SHORT = `must be at least ${MIN_SECRET_BYTES} bytes long`;

/** @param developmentValue the default outside production; production refuses it, because it is public */
function secretSetting(production: boolean, developmentValue: string) {
  const secret = z
    .string(`is required when NODE_ENV=production (at least ${MIN_SECRET_BYTES} random bytes)`)
    .refine((text) => Buffer.byteLength(text) >= MIN_SECRET_BYTES, TOO_SHORT);
  if (!production) return secret.default(developmentValue);
  return secret.refine((text) => text !== developmentValue, 'is the development secret; set one of your own');
}

export const DEVELOPMENT_INTERNAL_TOKEN = 'development-internal-token-not-for-production';
export const DEVELOPMENT_ADMIN_TOKEN = 'development-admin-token-not-for-production';
export const DEVELOPMENT_PEPPER = 'development-pepper-not-for-production-use';
export const DEVELOPMENT_SESSION_SECRET = 'development-session-secret-not-for-production';

export function internalTokenSetting(production: boolean) {
  return secretSetting(production, DEVELOPMENT_INTERNAL_TOKEN);
}

export function adminTokenSetting(production: boolean) {
  return secretSetting(production, DEVELOPMENT_ADMIN_TOKEN);
}

export function pepperSetting(production: boolean) {
  return secretSetting(production, DEVELOPMENT_PEPPER);
}

/** The previous pepper, while keys move from it to the new one; otherwise not set. */
export function oldPepperSetting() {
  return z
    .string()
    .refine((text) => Buffer.byteLength(text) >= MIN_SECRET_BYTES, TOO_SHORT)
    .optional();
}

export function sessionSecretSetting(production: boolean) {
  return secretSetting(production, DEVELOPMENT_SESSION_SECRET);
}

/** A PEM text, or the path of a file that has one. */
const pemSetting = z
  .string()
  .transform((text, context) => {
    if (text.includes('-----BEGIN')) return text;
    try {
      return readFileSync(text, 'utf8');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      context.addIssue({ code: 'custom', message: `expected PEM text or a readable file: ${reason}` });
      return z.NEVER;
    }
  })
  .optional();

/**
 * TLS between the services. None of the three: no TLS. Only the CA: clients verify the server. All three:
 * both sides verify each other.
 */
export const grpcTlsSettings = {
  GRPC_TLS_CA: pemSetting,
  GRPC_TLS_CERT: pemSetting,
  GRPC_TLS_KEY: pemSetting,
};

/** PEM texts. */
export interface GrpcTls {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/** A certificate needs its key, and a key its certificate. */
export function checkGrpcTls(value: {
  GRPC_TLS_CERT?: string | undefined;
  GRPC_TLS_KEY?: string | undefined;
}): boolean {
  return (value.GRPC_TLS_CERT === undefined) === (value.GRPC_TLS_KEY === undefined);
}

export const GRPC_TLS_PAIR_MESSAGE = 'GRPC_TLS_CERT and GRPC_TLS_KEY must be set together';

export const logLevelSetting = z
  .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  .default('info');
