import type { Request, Response } from 'express';
import type { HolderSession } from '../sign-in/holder-session.ts';

export interface ApiExchange {
  req: Request;
  res: Response;
  /** Parsed JSON; not yet checked. Undefined: there was none. */
  body: unknown;
}

export interface HolderExchange extends ApiExchange {
  session: HolderSession;
  accountId: string;
  /** Aborted when the browser has closed its connection before it had the answer. */
  gone: AbortSignal;
}

interface RouteBase {
  method: 'GET' | 'POST';
  /** As Express writes it: `/api/keys/:keyId/revoke`. */
  path: string;
  maxBodyBytes: number;
}

/** One route of /api. Holder: only for who is signed in, and about that account alone. */
export type ApiRoute =
  | (RouteBase & { access: 'public'; answer(exchange: ApiExchange): Promise<void> | void })
  | (RouteBase & {
      access: 'holder';
      answer(exchange: HolderExchange): Promise<void> | void;
      /**
       * Makes something that stays: an account can do that only so often. What takes away can always be done.
       */
      isChange: boolean;
    });

interface HolderRouteOptions {
  maxBodyBytes?: number;
  /** Unless said otherwise: every POST. */
  isChange?: boolean;
}

const MAX_BODY_BYTES = 16 * 1024;

export function publicRoute(
  method: RouteBase['method'],
  path: string,
  answer: (exchange: ApiExchange) => Promise<void> | void,
): ApiRoute {
  return { access: 'public', method, path, answer, maxBodyBytes: MAX_BODY_BYTES };
}

export function holderRoute(
  method: RouteBase['method'],
  path: string,
  answer: (exchange: HolderExchange) => Promise<void> | void,
  { maxBodyBytes = MAX_BODY_BYTES, isChange = method === 'POST' }: HolderRouteOptions = {},
): ApiRoute {
  return { access: 'holder', method, path, answer, maxBodyBytes, isChange };
}

/** A parameter of the path; of a wrong form, it names nothing that exists. */
export function pathParameter(req: Request, name: string): string {
  const value: unknown = req.params[name];
  return typeof value === 'string' ? value : '';
}
