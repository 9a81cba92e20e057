import type { SignedInUserMessage } from '@model-gateway/contracts';
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

export interface HolderExchange extends ApiExchange {
  session: HolderSession;
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

/** A route of /api. `holder` routes need a session and act on its account only. */
export type ApiRoute =
  | (RouteBase & { access: 'public'; handle(exchange: ApiExchange): Promise<void> | void })
  | (RouteBase & {
      access: 'holder';
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

export function holderRoute(
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
  return { access: 'holder', method, path, handle, maxBodyBytes, isChange, worksUnverified, needsProof };
}

/** Returns a path parameter. A repeated one becomes '', which is no valid id. */
export function pathParameter(req: Request, name: string): string {
  const value: unknown = req.params[name];
  return typeof value === 'string' ? value : '';
}
