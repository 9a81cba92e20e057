import type { Request, Response } from 'express';
import { z } from 'zod';
import type { DashboardContext } from '../context.ts';
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

const accountBody = z.object({ id: z.string(), email: z.string(), name: z.string(), deleted_at: z.null() });

/**
 * Reads the account that a session shows as its owner sees it.
 * @returns undefined: none, it is deleted, or the user has lost the role in the installation
 * @throws DashboardError service_unavailable
 */
export async function viewedAccount(
  context: DashboardContext,
  { access, req, res, session }: ViewExchange,
): Promise<HolderAccount | undefined> {
  const accountId = viewedAccountId(access, session);
  if (accountId === undefined) return undefined;
  const { email, id: signInId } = session.user;
  const user = { accountId, signInId, email, viewing: true, ...requestOrigin(context, req, res) };
  const requestJson = JSON.stringify({ path: { id: accountId } });
  try {
    const call = { operation: 'getAccount', requestJson, mayChange: false };
    const { bodyJson } = await context.holder.readsBy(user).callManagementApi(call);
    const account = accountBody.safeParse(JSON.parse(bodyJson)).data;
    return account && { id: account.id, email: account.email, name: account.name, role: 'owner' };
  } catch (error) {
    if (error instanceof DashboardError && error.code === 'permission_denied') return undefined;
    throw error;
  }
}
