import { createHash, timingSafeEqual } from 'node:crypto';
import { type Metadata, ServerInterceptingCall, type ServerInterceptor, status } from '@grpc/grpc-js';
import { type AdminProof, presentedProof, presentedToken } from '@model-gateway/contracts';
import { type Caller, noteActor } from './derive-actor.ts';

export interface CallerSecrets {
  internalToken: string;
  adminToken: string;
  adminProof: AdminProof;
}

/** Allowed callers by method prefix; the first match counts, and a method without one is refused. */
const ALLOWED: readonly [prefix: string, callers: readonly Caller[]][] = [
  ['/gateway.v1.KeyService/', ['internal']],
  ['/gateway.v1.BillingService/GetUsage', ['internal', 'admin']],
  ['/gateway.v1.BillingService/GetReceipt', ['internal', 'admin']],
  ['/gateway.v1.BillingService/ListReceipts', ['admin']],
  ['/gateway.v1.BillingService/GetTotalUsage', ['admin']],
  ['/gateway.v1.BillingService/', ['internal']],
  ['/gateway.v1.DashboardService/', ['internal']],
  ['/gateway.v1.PoolService/', ['admin']],
  ['/gateway.v1.AccountService/', ['admin']],
  ['/gateway.v1.TeamService/', ['admin']],
  // The caller sends no token before it knows who answers.
  ['/gateway.v1.AdminService/ProveServer', ['anyone']],
  ['/gateway.v1.AdminService/', ['admin']],
  ['/gateway.v1.CatalogService/ApplyCatalog', ['admin']],
  ['/gateway.v1.CatalogService/AddToCatalog', ['admin']],
  ['/gateway.v1.CatalogService/RemoveFromCatalog', ['admin']],
  ['/gateway.v1.CatalogService/ReportProbes', ['internal']],
  ['/gateway.v1.CatalogService/ReportWaitingCalls', ['internal']],
  ['/gateway.v1.CatalogService/', ['internal', 'admin']],
  // Orchestrators' probes cannot send metadata. The reply reveals no more than the open port.
  ['/grpc.health.v1.Health/', ['anyone']],
];

/** Maximum time from a control plane's proof, here or at another one, to the call that relies on it. */
const PROOF_AGE_MS = 60_000;

/** Checks the token or proof of ADMIN_TOKEN before any handler, streams included, and notes the actor. */
export function checkCaller({ internalToken, adminToken, adminProof }: CallerSecrets): ServerInterceptor {
  const expected = { internal: digest(internalToken), admin: digest(adminToken) };
  const provedCaller = (path: string, metadata: Metadata): Caller | undefined => {
    const callers = ALLOWED.find(([prefix]) => path.startsWith(prefix))?.[1] ?? [];
    if (callers.includes('anyone')) return 'anyone';
    const proof = presentedProof(metadata);
    if (proof !== undefined) {
      const isFresh = Math.abs(Date.now() - proof.timeMs) <= PROOF_AGE_MS;
      const isProved = callers.includes('admin') && isFresh && adminProof.verifyCaller(proof, path);
      return isProved ? 'admin' : undefined;
    }
    const token = presentedToken(metadata);
    if (token === undefined) return undefined;
    const presented = digest(token);
    return callers.find((caller) => caller !== 'anyone' && timingSafeEqual(presented, expected[caller]));
  };
  return (method, call) =>
    new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, pass) => {
            const caller = provedCaller(method.path, metadata);
            if (caller === undefined) {
              return call.sendStatus({
                code: status.UNAUTHENTICATED,
                details: 'the token of the caller, or the proof in its place, is missing, wrong or too old',
              });
            }
            try {
              noteActor(caller, method.path, metadata, call);
            } catch {
              const details = 'the signed-in user that the call names cannot be read';
              return call.sendStatus({ code: status.INVALID_ARGUMENT, details });
            }
            pass(metadata);
          },
        }),
    });
}

/** Equal lengths, so that comparing takes the same time for every token. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
