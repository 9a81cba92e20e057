import {
  type AcceptInvitationResponse,
  acceptInvitationRequest,
  findInvitationRequest,
  type OfferedSeatEntry,
} from '../../wire/teams.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toOfferedSeatEntry } from '../teams/to-team.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

export function invitationRoutes(): ApiRoute[] {
  return [
    holderRoute(
      'admin',
      'POST',
      '/api/invitations/find',
      async ({ res, accountId, reads, body }) => {
        const { token } = parseRequest(findInvitationRequest, body);
        const response: OfferedSeatEntry = toOfferedSeatEntry(
          await reads.findOfferedSeat({ accountId, token }),
        );
        res.json(response);
      },
      { isChange: false },
    ),

    holderRoute('admin', 'POST', '/api/invitations/accept', async ({ res, changes, body }) => {
      const which = parseRequest(acceptInvitationRequest, body);
      const { id, teamId } = await changes.acceptInvitation(which);
      const response: AcceptInvitationResponse = { seatId: id, teamId };
      res.status(201).json(response);
    }),

    holderRoute(
      'admin',
      'POST',
      '/api/invitations/:invitationId/withdraw',
      async ({ req, res, changes }) => {
        const invitationId = pathParameter(req, 'invitationId');
        await changes.withdrawHolderInvitation({ invitationId });
        res.status(204).end();
      },
      { isChange: false },
    ),
  ];
}
