import type { Request, Response } from 'express';
import { z } from 'zod';
import type { DashboardContext } from '../context.ts';
import { gatewayUnreachable } from '../errors/availability-errors.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import { requestOrigin } from '../http/observe-request.ts';
import type { HolderAccess, HolderAccount } from '../sign-in/holder-accounts.ts';
import type { HolderSession } from '../sign-in/holder-session.ts';
import { viewedAccountId } from '../sign-in/shown-account.ts';

interface ViewExchange {
  req: Request;
  res: Response;
  session: HolderSession;
  access: HolderAccess;
}

const accountBody = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  deleted_at: z.string().nullable(),
});

/**
 * Reads the account that a session shows as its owner sees it. Ends the view of an account that is gone, or
 * for a user who has lost the role in the installation, so that it does not come back with the role.
 * @returns undefined: none
 * @throws DashboardError service_unavailable
 */
export async function viewedAccount(
  context: DashboardContext,
  exchange: ViewExchange,
): Promise<HolderAccount | undefined> {
  const { access, session } = exchange;
  if (session.viewedAccountId === null) return undefined;
  const accountId = viewedAccountId(access, session);
  const account = accountId === undefined ? undefined : await readAccount(context, exchange, accountId);
  if (account === undefined) await context.sessionStore.endView(session.id, session.viewedAccountId);
  return account;
}

/** @returns undefined: it is deleted, or the user has no role in the installation */
async function readAccount(
  context: DashboardContext,
  { req, res, session }: ViewExchange,
  accountId: string,
): Promise<HolderAccount | undefined> {
  const { email, id: signInId } = session.user;
  const user = { accountId, signInId, email, viewing: true, ...requestOrigin(context, req, res) };
  const requestJson = JSON.stringify({ path: { id: accountId } });
  try {
    const call = { operation: 'getAccount', requestJson, mayChange: false };
    const { bodyJson, status } = await context.holder.readsBy(user).callManagementApi(call);
    if (status === 403 || status === 404) return undefined;
    if (status !== 200)
      throw gatewayUnreachable(new Error(`getAccount was answered with ${status}: ${bodyJson}`));
    const account = accountBody.parse(JSON.parse(bodyJson));
    if (account.deleted_at !== null) return undefined;
    return { id: account.id, email: account.email, name: account.name, role: 'owner' };
  } catch (error) {
    if (error instanceof DashboardError && error.code === 'permission_denied') return undefined;
    throw error;
  }
}
