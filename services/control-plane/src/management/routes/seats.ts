import { z } from 'zod';
import { notFound } from '../../errors/control-plane-error.ts';
import { seatResource, seatResourceSchema } from '../../seats/seat-resource.ts';
import { addSeat } from '../../teams/add-seat.ts';
import { moveSeat } from '../../teams/move-seat.ts';
import { removeSeat } from '../../teams/remove-seat.ts';
import { invalidField } from '../errors/request-errors.ts';
import { externalId } from '../external-id.ts';
import {
  deleted,
  deletedResponse,
  externalIdParameter,
  listParameters,
  listQueryOf,
  listResponse,
  pageOf,
} from '../list-response.ts';
import { listedAccount, requireOwnSeat, requireOwnTeam } from '../own-account.ts';
import { route } from '../route.ts';

const seat = seatResourceSchema.meta({ id: 'Seat' });
const common = { tag: 'Seats', response: seat, isResource: true } as const;
const holder = z.string().describe('Id or e-mail address of the account that holds the seat.');

export const seatRoutes = [
  route({
    ...common,
    method: 'POST',
    path: '/admin/v1/seats',
    operationId: 'createSeat',
    summary: 'Give an account a seat in a team',
    scope: 'teams:write',
    body: z.object({ team_id: z.string(), account_id: holder, external_id: externalId.optional() }),
    async handle(context, { actor, body }) {
      const { id: teamId } = await requireOwnTeam(context, actor, body.team_id);
      const request = { teamId, account: body.account_id, externalId: body.external_id };
      return seatResource(await addSeat(context, actor, request));
    },
  }),
  route({
    tag: common.tag,
    method: 'GET',
    path: '/admin/v1/seats',
    operationId: 'listSeats',
    summary: 'List seats',
    description: 'Removed ones are left out.',
    scope: 'teams:read',
    query: z.object({
      ...listParameters,
      ...externalIdParameter,
      team_id: z.string().optional(),
      account_id: z.string().optional().describe('Owner of the teams.'),
    }),
    response: listResponse(seat, 'SeatList'),
    async handle(context, { actor, query, signal }) {
      const { account_id, external_id: externalId, team_id: teamId } = query;
      if (teamId !== undefined) await requireOwnTeam(context, actor, teamId);
      const page = listQueryOf(query);
      const filter = { accountId: listedAccount(actor, account_id), externalId, teamId };
      return pageOf(await context.teamListStore.seatPage(filter, page, signal), page, seatResource);
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/admin/v1/seats/:id',
    operationId: 'getSeat',
    summary: 'Get a seat',
    scope: 'teams:read',
    handle: async (context, { actor, params }) =>
      seatResource(await requireOwnSeat(context, actor, params.id)),
  }),
  route({
    ...common,
    method: 'PATCH',
    path: '/admin/v1/seats/:id',
    operationId: 'changeSeat',
    summary: 'Change the external id of a seat, or give it to another account',
    description: 'With `account_id`, the seat and its pools move, and its earlier keys are revoked.',
    scope: 'teams:write',
    body: z.object({ external_id: externalId.nullable().optional(), account_id: holder.optional() }),
    async handle(context, { actor, body, noteUnconfirmed, params }) {
      const found = await requireOwnSeat(context, actor, params.id);
      const { account_id: account, external_id } = body;
      if (account !== undefined) {
        if (external_id !== undefined)
          throw invalidField('external_id', 'cannot change together with account_id');
        const moved = await moveSeat(context, actor, { seatId: found.id, account });
        noteUnconfirmed(moved.unconfirmed);
        return seatResource(moved.seat);
      }
      const { externalId: current } = found;
      const next = external_id === undefined ? current : external_id;
      const changed = await context.seatStore.setExternalId(actor, found.id, next);
      if (changed === null) throw notFound(`there is no seat ${found.id}`);
      return seatResource(changed);
    },
  }),
  route({
    tag: common.tag,
    method: 'DELETE',
    path: '/admin/v1/seats/:id',
    operationId: 'removeSeat',
    summary: 'Remove a seat',
    description: 'Revokes its keys.',
    scope: 'teams:write',
    response: deletedResponse('seat'),
    async handle(context, { actor, noteUnconfirmed, params }) {
      const { id } = await requireOwnSeat(context, actor, params.id);
      const { unconfirmed } = await removeSeat(context, actor, { seatId: id });
      noteUnconfirmed(unconfirmed);
      return deleted('seat', id);
    },
  }),
];
