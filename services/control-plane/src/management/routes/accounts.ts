import { accountResource, accountResourceSchema } from '../../accounts/account-resource.ts';
import { requireOwn } from '../own-account.ts';
import { route } from '../route.ts';

const account = accountResourceSchema.meta({ id: 'Account' });

export const accountRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/accounts/:id',
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'Get an account',
    scope: 'accounts:read',
    answer: account,
    isResource: true,
    async handle(context, { actor, params }) {
      requireOwn(actor, params.id, `account ${params.id}`);
      return accountResource(await context.accountStore.require(params.id));
    },
  }),
];
