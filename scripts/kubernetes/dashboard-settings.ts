import { z } from 'zod';
import {
  addressListSetting,
  grpcTlsSettings,
  hostSetting,
  internalTokenSetting,
  logLevelSetting,
  nodeEnvSetting,
  portSetting,
  trustProxySetting,
} from '../../packages/service-kit/src/index.ts';

export function dashboardSettings(production: boolean) {
  return z.object({
    NODE_ENV: nodeEnvSetting,
    HOST: hostSetting(production),
    PORT: portSetting(8090),
    INTERNAL_PORT: portSetting(9090),
    CONTROL_PLANE_ADDRESS: addressListSetting('127.0.0.1:50051'),
    INTERNAL_TOKEN: internalTokenSetting(production),
    ...grpcTlsSettings,
    DATABASE_URL: z.string(),
    SESSION_SECRET: z.string(),
    PUBLIC_URL: z.string(),
    SIGNUP: z.string().optional(),
    API_BASE_URL: z.string().optional(),
    API_INTERNAL_URL: z.string().optional(),
    CATALOG_URL: z.string().optional(),
    TRUST_PROXY: trustProxySetting,
    LOG_LEVEL: logLevelSetting,
  });
}
