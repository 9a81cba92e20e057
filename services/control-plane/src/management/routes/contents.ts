import { z } from 'zod';
import { storedContents } from '../../contents/stored-contents.ts';
import { viewContents } from '../../contents/view-contents.ts';
import { timestamp } from '../../timestamps.ts';
import { getReceipt } from '../../usage/get-receipt.ts';
import { requireOwn } from '../own-account.ts';
import { route } from '../route.ts';

const contents = storedContents
  .extend({
    object: z.literal('request.contents'),
    /** Id of the request. */
    id: z.string(),
    account_id: z.string(),
    stored_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'RequestContents' });

export const contentsRoutes = [
  route({
    method: 'GET',
    tag: 'Usage',
    path: '/admin/v1/receipts/:id/contents',
    operationId: 'viewContents',
    summary: 'Look at the contents of a request',
    description:
      'The bodies of a request and of its response, if the owner of the account has turned contents on: 403 if ' +
      'not. Each look is in the audit log, as `contents.viewed`.',
    // To read contents, a key needs a scope of its own: no other route uses it.
    scope: 'usage:write',
    isOfAccount: true,
    response: contents,
    async handle(context, { actor, params: { id: requestId }, signal }) {
      const { owner } = await getReceipt(context, { requestId, owner: null }, signal, false);
      const { accountId } = owner;
      requireOwn(actor, accountId, `receipt of ${requestId}`);
      const {
        expiresAt,
        storedAt,
        requestId: id,
        ...bodies
      } = await viewContents(context, actor, {
        accountId,
        requestId,
      });
      return {
        object: 'request.contents' as const,
        ...{ id, account_id: accountId },
        stored_at: storedAt.toISOString(),
        expires_at: expiresAt.toISOString(),
        ...bodies,
      };
    },
  }),
];
