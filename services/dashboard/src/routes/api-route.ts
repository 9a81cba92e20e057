import type { SignedInUserMessage } from '@model-gateway/contracts';
import type { AccountRole, InstallationRole } from '@model-gateway/shared/access';
import type { Request, Response } from 'express';
import type { HolderChanges, HolderReads } from '../control-plane/holder-client.ts';
import type { HolderAccount } from '../sign-in/holder-accounts.ts';
import type { HolderSession } from '../sign-in/holder-session.ts';

export interface ApiExchange {
  req: Request;
  res: Response;
  /** Parsed JSON, not yet checked. Undefined: there was no body. */
  body: unknown;
}

export interface SessionExchange extends ApiExchange {
  session: HolderSession;
}

export interface HolderExchange extends SessionExchange {
  /** The user's own account that the session shows, with the user's role in it. */
  account: HolderAccount;
  /** The account that the session shows: `account`, or one that an operator looks at. */
  accountId: string;
  /** True if the user's address is verified. */
  emailVerified: boolean;
  /** The signed-in user, as the control plane identifies who makes a change. */
  user: SignedInUserMessage;
  changes: HolderChanges;
  /** Reads for the user, which stop when the browser disconnects. */
  reads: HolderReads;
  /** Aborted when the browser disconnects before it has the response. */
  gone: AbortSignal;
}

interface RouteBase {
  method: 'GET' | 'POST';
  /** An Express path: `/api/keys/:keyId/revoke`. */
  path: string;
  maxBodyBytes: number;
}

/**
 * Least role that a route needs: any signed-in user, a role in the account that the session shows, or a role
 * in the installation. The control plane checks it with each call. docs/roles.md shows it.
 */
export type HolderAccess = 'sign-in' | AccountRole | InstallationRole;

/** A route of /api. All but public ones need a session; those for roles in accounts act on its account. */
export type ApiRoute =
  | (RouteBase & { access: 'public'; handle(exchange: ApiExchange): Promise<void> | void })
  | (RouteBase & {
      access: 'sign-in';
      needsAccount: false;
      handle(exchange: SessionExchange): Promise<void> | void;
    })
  | (RouteBase & {
      access: HolderAccess;
      needsAccount: true;
      handle(exchange: HolderExchange): Promise<void> | void;
      /** True if it counts against the account's limit of changes. */
      isChange: boolean;
      /** False: refused until the address is verified, if the operator requires that. */
      worksUnverified: boolean;
      /** True: the user must have proved who they are in the last minutes (require-proof.ts). */
      needsProof: boolean;
    });

interface HolderRouteOptions {
  maxBodyBytes?: number;
  /** By default true for every POST. */
  isChange?: boolean;
  worksUnverified?: boolean;
  needsProof?: boolean;
}

const MAX_BODY_BYTES = 16 * 1024;

export function publicRoute(
  method: RouteBase['method'],
  path: string,
  handle: (exchange: ApiExchange) => Promise<void> | void,
): ApiRoute {
  return { access: 'public', method, path, handle, maxBodyBytes: MAX_BODY_BYTES };
}

/** Defines a route that works without a control plane, and for users of suspended accounts. */
export function sessionRoute(
  method: RouteBase['method'],
  path: string,
  handle: (exchange: SessionExchange) => Promise<void> | void,
): ApiRoute {
  return { access: 'sign-in', needsAccount: false, method, path, handle, maxBodyBytes: MAX_BODY_BYTES };
}

export function holderRoute(
  access: HolderAccess,
  method: RouteBase['method'],
  path: string,
  handle: (exchange: HolderExchange) => Promise<void> | void,
  {
    maxBodyBytes = MAX_BODY_BYTES,
    isChange = method === 'POST',
    worksUnverified = false,
    needsProof = false,
  }: HolderRouteOptions = {},
): ApiRoute {
  const base = { access, method, path, handle, maxBodyBytes };
  return { ...base, needsAccount: true, isChange, worksUnverified, needsProof };
}

/** Returns a path parameter. A repeated one becomes '', which is no valid id. */
export function pathParameter(req: Request, name: string): string {
  const value: unknown = req.params[name];
  return typeof value === 'string' ? value : '';
}
