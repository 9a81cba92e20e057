import type { RunningCatalog } from '@model-gateway/catalog';
import type { ControlPlaneClient, RevokeKeyResponseMessage, TlsFiles } from '@model-gateway/contracts';
import type { RunningControlPlane } from '@model-gateway/control-plane';
import type { DataPlaneOverrides, RunningDataPlane } from '@model-gateway/data-plane';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import type { SimulatedProvider, SimulatedProviderOptions } from '@model-gateway/simulated-provider';
import type { TestDashboard } from './start-dashboard.ts';

export interface GatewayOptions {
  /** SSO_GROUPS of the control planes. */
  ssoGroups?: string;
  controlPlanes?: number;
  dataPlanes?: number;
  /** Starts the status-and-catalog service, too. */
  catalog?: boolean;
  /** Starts the dashboard with these further settings, and the catalog service, which the dashboard reads. */
  dashboard?: boolean | Record<string, string>;
  /** Further settings of every data plane. */
  environment?: Record<string, string> | ((providerBaseUrl: string) => Record<string, string>);
  /** Further settings of every control plane. */
  controlPlaneEnvironment?: Record<string, string>;
  /** PEM texts for gRPC between all of them. */
  tls?: TlsFiles;
  overrides?: DataPlaneOverrides;
  /**
   * Keeps the default limits of accounts. Without this option the limits are so high that tests of other
   * things never reach one.
   */
  defaultLimits?: boolean;
  /**
   * Accounts have only the pools that the test gives them. Without this option, each account has a pool that
   * is never used up.
   */
  ownPools?: boolean;
  /** The money that new accounts get. */
  signupPoolUsd?: string;
  /** A Redis that all services share; without one, limits are counted in memory. */
  redisUrl?: string;
  /** Options of the simulated provider. */
  provider?: SimulatedProviderOptions;
  /** The catalog applied at the start; by default simulated models of every capability. */
  document?: (providerBaseUrl: string) => CatalogDocumentInput;
  /** Writes data of earlier days into the database before any service reads it. */
  history?: (databaseUrl: string) => Promise<void>;
}

/**
 * A whole gateway in this process: real Postgres, gRPC and HTTP, and the simulated provider behind it. Every
 * answer of its public ports is compared with the OpenAPI document (check-answers.setup.ts).
 */
export interface TestGateway {
  /** The base URL of the first data plane, without /v1. */
  baseUrl: string;
  dataPlanes: readonly RunningDataPlane[];
  controlPlanes: readonly RunningControlPlane[];
  catalog: RunningCatalog | undefined;
  dashboard: TestDashboard | undefined;
  provider: SimulatedProvider;
  /** A client with ADMIN_TOKEN. */
  admin: ControlPlaneClient;
  databaseUrl: string;
  /** Returns everything that the services have logged so far. */
  logText(): string;
  /** Returns the log entries so far that contain all of these texts. */
  logLines(...texts: string[]): Record<string, unknown>[];
  urlOf(dataPlane: number): string;
  createAccount(): Promise<string>;
  createKey(accountId?: string): Promise<{ id: string; rawKey: string; accountId: string }>;
  revokeKey(keyId: string): Promise<RevokeKeyResponseMessage>;
  applyCatalog(document: CatalogDocumentInput): Promise<void>;
  /** Starts one more data plane and waits until it is ready. Its settings replace those of the others. */
  startDataPlane(environment?: Record<string, string>): Promise<RunningDataPlane>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
