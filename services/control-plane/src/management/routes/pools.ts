import { formatUsd } from '@model-gateway/shared';
import { z } from 'zod';
import type { ManagementActor } from '../../actors/actor.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { notFound } from '../../errors/control-plane-error.ts';
import { addPool } from '../../owned-pools/add-pool.ts';
import { changePool } from '../../pools/change-pool.ts';
import { type PoolResource, poolResource, poolResourceSchema } from '../../pools/pool-resource.ts';
import { removePool } from '../../pools/remove-pool.ts';
import type { StoredPool } from '../../pools/stored-pool.ts';
import { invalidField } from '../errors/request-errors.ts';
import {
  deleted,
  deletedResponse,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { accountForNew, listedAccount, requireOwn, requireOwnSeat, requireOwnTeam } from '../own-account.ts';
import { route } from '../route.ts';
import { time } from '../times.ts';

const usd = z.string();
const pool = poolResourceSchema
  .extend({
    used_usd: usd,
    held_usd: usd.describe('Set aside for running requests. What they do not use is released.'),
    remaining_usd: usd.nullable().describe('Available for new requests. Null: unlimited.'),
  })
  .meta({ id: 'Pool' });

const common = { tag: 'Pools' } as const;
const owner = {
  account_id: z.string().optional(),
  team_id: z.string().optional(),
  seat_id: z.string().optional(),
};
const amount = {
  usd: z.string().optional().describe('US dollars, such as `25.00`.'),
  unlimited: z.boolean().optional().describe('Instead of `usd`: counts what is used, and refuses nothing.'),
};

export const poolRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/pools',
    operationId: 'createPool',
    summary: 'Add a pool of money',
    description: 'For an account, a team or a seat: name one. Give `usd` or `unlimited`.',
    scope: 'pools:write',
    body: z.object({
      ...owner,
      ...amount,
      name: z.string().optional().describe('Default: its amount and period.'),
      resets: z
        .enum(['monthly', 'never'])
        .default('never')
        .describe('`monthly`: full again on the first of every month (UTC).'),
      expires_at: time.nullish().describe('When what is left is taken away. Null: never.'),
    }),
    response: pool,
    async handle(context, { actor, respondWith, body, setEtagOf }) {
      respondWith((after) => {
        setEtagOf(after);
        return newPoolResponse(poolResourceSchema.parse(after));
      });
      const added = await addPool(context, actor, {
        owner: await ownerFor(context, actor, body),
        includedUsd: body.usd ?? '',
        unlimited: body.unlimited ?? false,
        name: body.name ?? '',
        resets: body.resets,
        expiresAtMs: body.expires_at == null ? undefined : String(body.expires_at.getTime()),
      });
      setEtagOf(poolResource(added));
      return poolResponse(added);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/pools',
    operationId: 'listPools',
    summary: 'List pools',
    description:
      'Those of an account include the pools of its teams and their seats. Removed ones are left out.',
    scope: 'pools:read',
    query: z.object({ ...listParameters, ...owner }),
    response: listResponse(pool, 'PoolList'),
    async handle(context, { actor, query, signal }) {
      const { account_id, seat_id: seatId, team_id: teamId } = query;
      if (teamId !== undefined) await requireOwnTeam(context, actor, teamId);
      if (seatId !== undefined) await requireOwnSeat(context, actor, seatId);
      const accountId = listedAccount(actor, account_id);
      const page = listQueryOf(query);
      const rows = await context.poolListStore.list({ accountId, seatId, teamId }, page, signal);
      return pageOf(rows, page, poolResponse);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/pools/:id',
    operationId: 'getPool',
    summary: 'Get a pool',
    scope: 'pools:read',
    response: pool,
    async handle(context, { actor, params, setEtagOf }) {
      const found = await requireOwnPool(context, actor, params.id);
      setEtagOf(poolResource(found));
      return poolResponse(found);
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/pools/:id',
    operationId: 'changePool',
    summary: 'Change the amount or name of a pool',
    description: 'It cannot include less than is used and held.',
    scope: 'pools:write',
    body: z.object({ ...amount, name: z.string().optional() }),
    response: pool,
    async handle(context, { actor, body, params, setEtagOf }) {
      const before = await requireOwnPool(context, actor, params.id);
      const { name, unlimited = body.usd === undefined && before.unlimited } = body;
      const includedUsd = body.usd ?? (unlimited ? '' : formatUsd(before.included));
      const changed = await changePool(context, actor, { poolId: before.id, includedUsd, unlimited, name });
      setEtagOf(poolResource(changed));
      return poolResponse(changed);
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/admin/v1/pools/:id',
    operationId: 'removePool',
    summary: 'Remove a pool',
    description: 'What is left is taken away with a ledger entry; what running requests hold follows.',
    scope: 'pools:write',
    response: deletedResponse('pool').extend({ taken_usd: usd.describe('What was left and is taken away.') }),
    async handle(context, { actor, params }) {
      const { id } = await requireOwnPool(context, actor, params.id);
      const { taken } = await removePool(context, actor, { poolId: id });
      return { ...deleted('pool', id), taken_usd: formatUsd(taken) };
    },
  }),
];

/** @throws ControlPlaneError not_found, invalid_argument; ManagementError 400 */
async function ownerFor(
  context: ControlPlaneContext,
  actor: ManagementActor,
  { account_id, seat_id: seatId, team_id: teamId }: { [Name in keyof typeof owner]?: string | undefined },
) {
  if ([account_id, seatId, teamId].filter((id) => id !== undefined).length > 1)
    throw invalidField('account_id', 'name one of account_id, team_id and seat_id');
  if (seatId !== undefined) return { kind: 'seat', id: (await requireOwnSeat(context, actor, seatId)).id };
  if (teamId !== undefined) return { kind: 'team', id: (await requireOwnTeam(context, actor, teamId)).id };
  return { kind: 'account', id: accountForNew(actor, account_id) };
}

/** @throws ControlPlaneError not_found */
async function requireOwnPool(
  { poolStore }: Pick<ControlPlaneContext, 'poolStore'>,
  actor: ManagementActor,
  id: string,
): Promise<StoredPool> {
  const found = await poolStore.find(id);
  if (found === null) throw notFound(`there is no pool ${id}`);
  requireOwn(actor, (await poolStore.accountOf(found)) ?? '', `pool ${id}`);
  return found;
}

function poolResponse(found: StoredPool): z.infer<typeof pool> {
  return {
    ...poolResource(found),
    used_usd: formatUsd(found.charged),
    held_usd: formatUsd(found.held),
    remaining_usd: found.unlimited ? null : formatUsd(found.remaining),
  };
}

function newPoolResponse(added: PoolResource): z.infer<typeof pool> {
  return { ...added, used_usd: formatUsd(0n), held_usd: formatUsd(0n), remaining_usd: added.usd };
}
